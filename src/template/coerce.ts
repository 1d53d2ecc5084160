// Text that a template has made, as the value it spells: `True`, `42`, `[1, 2]`.
import { parseJson } from "../json/bounded.ts";

const DIGITS = "\\d+(?:_\\d+)*";
const NUMBER = new RegExp(`^[+-]?(?:${DIGITS}(?:\\.(?:${DIGITS})?)?|\\.${DIGITS})(?:[eE][+-]?\\d+)?$`);
const PYTHON_WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["True", true],
  ["False", false],
  ["None", null],
]);

/**
 * The value a text spells, or the text itself. Python's words, JSON and decimal numbers
 * are read; what would lose something, like an integer beyond 2^53, stays text. So does `1e3`:
 * as in Conductor an exponent is a number's only beside a point (`1.5e3`).
 *
 * @example coerce("42") // 42
 * @example coerce('["a"]') // ["a"]
 * @example coerce("1.2.3") // "1.2.3"
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
  if (/[eE]/.test(trimmed) && !trimmed.includes(".")) return text;
  return spelledNumber(trimmed) ?? text;
}

/** The number a text spells, as Python reads it: `1_000` is one. Undefined when it is none, or would lose something. */
export function spelledNumber(text: string): number | undefined {
  if (!NUMBER.test(text)) return undefined;
  const n = Number(text.replaceAll("_", ""));
  const exact = /[.eE]/.test(text) ? Number.isFinite(n) : Number.isSafeInteger(n);
  return exact ? (n === 0 ? 0 : n) : undefined;
}
