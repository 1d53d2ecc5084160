// Text that a template has made, as the value it spells: `True`, `42`, `[1, 2]`.
import { parseJson } from "../json/bounded.ts";

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const PYTHON_WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["True", true],
  ["False", false],
  ["None", null],
]);

/**
 * The value a text spells, or the text itself. Python's words, JSON and decimal numbers
 * are read; what would lose something, like an integer beyond 2^53, stays text.
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
  if (!NUMBER.test(trimmed)) return text;
  const n = Number(trimmed);
  const exact = /[.eE]/.test(trimmed) ? Number.isFinite(n) : Number.isSafeInteger(n);
  return exact ? (n === 0 ? 0 : n) : text;
}
