// Text that a template has made, as the value it spells: `True`, `42`, `[1, 2]`.
import { parseJson } from "../base/json/bounded.ts";

const PYTHON_WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["True", true],
  ["False", false],
  ["None", null],
]);

/**
 * The value a text spells, or the text itself. Python's words and JSON are read, and a number where nothing is lost: one
 * that prints as that very text. A version (`1.10`), a postcode (`01234`) and `1e3` stay text.
 *
 * @example coerce("42") // 42
 * @example coerce("1.10") // "1.10"
 * @example coerce('["a"]') // ["a"]
 */
export function coerce(text: string): unknown {
  const trimmed = text.trim();
  if (PYTHON_WORDS.has(trimmed)) return PYTHON_WORDS.get(trimmed);
  if (/^[{["]/.test(trimmed) || trimmed === "true" || trimmed === "false" || trimmed === "null") {
    try {
      return parseJson(trimmed);
    } catch {
      return text;
    }
  }
  return exactNumber(trimmed) ?? text;
}

/** Written as JavaScript and Python print numbers: no sign `+`, no zeros that say nothing, no exponent. */
const PRINTED = /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/;

/** The number that prints as this very text; undefined when there is none. */
export function exactNumber(text: string): number | undefined {
  if (!PRINTED.test(text)) return undefined;
  const n = Number(text);
  return String(n) === text && (text.includes(".") || Number.isSafeInteger(n)) ? n : undefined;
}

const DIGITS = "\\d+(?:_\\d+)*";
const PYTHON_NUMBER = new RegExp(`^[+-]?(?:${DIGITS}(?:\\.(?:${DIGITS})?)?|\\.${DIGITS})(?:[eE][+-]?\\d+)?$`);
const WHOLE = /^[+-]?[\d_]+$/;

/**
 * The number that a text is where a number is asked for: `1.10`, `1_000`, `+5` and `1e3` are numbers there. Undefined when
 * it is none, and for integers beyond 2^53, which would lose digits.
 */
export function readNumber(text: string): number | undefined {
  const trimmed = text.trim();
  const n = Number(PYTHON_NUMBER.test(trimmed) ? trimmed.replaceAll("_", "") : trimmed || Number.NaN);
  if (!Number.isFinite(n) || (WHOLE.test(trimmed) && !Number.isSafeInteger(n))) return undefined;
  return n === 0 ? 0 : n;
}
