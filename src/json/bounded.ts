// JSON from outside, at every door where it comes in. Parsing takes any depth; whatever walks the value afterwards, to write,
// compare or redact it, would overflow the stack, in this run and in every resume of it.

/** Deeper than data is, far below what the stack holds. */
const MOST_LEVELS = 500;

/** What is nested too deeply to be used. */
export class NestedTooDeeply extends Error {
  override readonly name = "NestedTooDeeply";
  constructor() {
    super(`it is nested more than ${MOST_LEVELS} levels deep`);
  }
}

/** The value of a JSON text; throws `SyntaxError`, or `NestedTooDeeply`. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Two characters for each level: most texts need no further look.
  if (text.length >= MOST_LEVELS * 2 && levelsOf(text) > MOST_LEVELS) throw new NestedTooDeeply();
  if (text.length > LONG && text.length <= LONGEST && typeof value === "object" && value !== null) weighed.add(value);
  return value;
}

/** From so many characters on it takes long to go through a value: its keys are put in order for everybody who asks. */
const LONG = 1024 * 1024;
/** No longer text has more values, or more characters, than can be kept. */
const LONGEST = 16 * 1024 * 1024;
const weighed = new WeakSet<object>();

/** Whether a value was made here from a text no longer than what can be kept: it need not be measured again. */
export const isOfShortText = (value: object): boolean => weighed.has(value);

/** How deep a text of JSON is nested. To look through a value with hundreds of thousands of keys takes as long as to parse it. */
function levelsOf(text: string): number {
  let [level, deepest] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) at = endOfString(text, at) - 1;
    else if (character === BRACE || character === BRACKET) deepest = Math.max(deepest, ++level);
    else if (character === BRACE_END || character === BRACKET_END) level--;
  }
  return deepest;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [BRACE, BRACE_END, BRACKET, BRACKET_END] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Where a string of a JSON text is over: right after its second quote. */
export function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** Level by level, without recursion: that is what would overflow. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MOST_LEVELS) return true;
    const below: unknown[] = [];
    for (const one of level)
      if (typeof one === "object" && one !== null)
        for (const inner of Object.values(one)) if (typeof inner === "object" && inner !== null) below.push(inner);
    level = below;
  }
  return false;
}

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
