// JSON from outside, at every door where it comes in. Parsing takes any depth; whatever walks the value afterwards, to write,
// compare or redact it, would overflow the stack, in this run and in every resume of it. It takes any number, too, and makes
// Infinity of one that is too large: the journal holds null for it, so a resume would read another value.

/** Deeper than data is, far below what the stack holds. */
const MOST_LEVELS = 500;

/** What is JSON, and not to be used. */
export class UnusableJson extends Error {}

export class NestedTooDeeply extends UnusableJson {
  override readonly name = "NestedTooDeeply";
  constructor() {
    super(`it is nested more than ${MOST_LEVELS} levels deep`);
  }
}

export class NumberTooLarge extends UnusableJson {
  override readonly name = "NumberTooLarge";
  constructor(written: string) {
    const shown = written.length > 20 ? `${written.slice(0, 19)}…` : written;
    super(`it has the number ${shown}, which is larger than a number can be; in quotes it is kept as text`);
  }
}

/**
 * The value of a JSON text; throws `SyntaxError`, or `UnusableJson`.
 *
 * @param isKept `false` for callers that keep nothing of the value: a number may then be infinite
 */
export function parseJson(text: string, isKept = true): unknown {
  const value: unknown = JSON.parse(text);
  // Two characters for each level: most texts need no further look.
  if (text.length >= MOST_LEVELS * 2 || MAY_OVERFLOW.test(text)) requireUsable(text, isKept);
  if (isKept && text.length > LONG && text.length <= LONGEST && typeof value === "object" && value !== null)
    weighed.add(value);
  return value;
}

/** From so many characters on it takes long to go through a value: its keys are put in order for everybody who asks. */
const LONG = 1024 * 1024;
/** No longer text has more values, or more characters, than can be kept. */
const LONGEST = 16 * 1024 * 1024;
const weighed = new WeakSet<object>();

/** Whether a value was made here from a text no longer than what can be kept: it need not be measured again. */
export const isOfShortText = (value: object): boolean => weighed.has(value);

/** No number with fewer digits and an exponent of two overflows. */
const MOST_DIGITS = 200;
const MAY_OVERFLOW = /\d[eE]\+?\d{3}|\d{200}/;

/** By the text: to look through a value with hundreds of thousands of keys takes as long as to parse it. */
function requireUsable(text: string, isKept: boolean): void {
  let level = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) at = endOfString(text, at) - 1;
    else if (isDigit(character)) {
      let end = at + 1;
      let isSmall = true;
      for (let next = text.charCodeAt(end); isInNumber(next); next = text.charCodeAt(++end))
        if ((next | 0x20) === LETTER_E) isSmall = false;
      if (isKept && (!isSmall || end - at >= MOST_DIGITS)) requireFinite(text.slice(at, end));
      at = end - 1;
    } else if (character === BRACE || character === BRACKET) {
      if (++level > MOST_LEVELS) throw new NestedTooDeeply();
    } else if (character === BRACE_END || character === BRACKET_END) level--;
  }
}

function requireFinite(written: string): void {
  if (!Number.isFinite(Number(written))) throw new NumberTooLarge(written);
}

/** Whether JSON can hold every number in a value that was not parsed here. */
export const hasFiniteNumbers = (value: unknown): boolean =>
  typeof value === "number"
    ? Number.isFinite(value)
    : typeof value !== "object" || value === null || Object.values(value).every(hasFiniteNumbers);

const LETTER_E = 0x65;
const [PLUS, MINUS, POINT] = [0x2b, 0x2d, 0x2e];
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isInNumber = (code: number): boolean =>
  isDigit(code) || code === POINT || (code | 0x20) === LETTER_E || code === PLUS || code === MINUS;

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
