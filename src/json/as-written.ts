// Numbers of a JSON text as they are written: 1.10 is the number 1.1, and 12345678901234567890 another number. Where a
// number becomes a text, that changes what was meant.
import { endOfString } from "./bounded.ts";

export const PUT_IN_QUOTES = "Put it in quotes to keep it as it is written: JSON and YAML read 1.10 as 1.1.";

/** The same value, with a text in place of each number that does not print as it is written. The text must be valid JSON. */
export function numbersAsWritten(text: string): unknown {
  const pieces: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; ) {
    const character = text[at] ?? "";
    if (character === '"') at = endOfString(text, at);
    else if (character === "-" || (character >= "0" && character <= "9")) {
      const end = endOfNumber(text, at);
      const written = text.slice(at, end);
      if (String(Number(written)) !== written) {
        pieces.push(text.slice(from, at), `"${written}"`);
        from = end;
      }
      at = end;
    } else at++;
  }
  return JSON.parse(pieces.length === 0 ? text : `${pieces.join("")}${text.slice(from)}`);
}

/** The same for a value whose text is not known any more, nor how a fraction or a very large number was written. */
export const fractionsAsTexts = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, one: unknown) =>
      typeof one === "number" && !Number.isSafeInteger(one) ? String(one) : one,
    ),
  );

function endOfNumber(text: string, start: number): number {
  const number = /[-+.\deE]+/y;
  number.lastIndex = start;
  number.test(text);
  return number.lastIndex;
}
