import { fail } from "../error.ts";
import { strip } from "../values/characters.ts";
import { isTrue } from "../values/compare.ts";
import { fixed, float, floatText, roundFloat } from "../values/float.ts";
import { type Int, int, intOf, negate, numberOf, parseInteger } from "../values/numbers.ts";
import { anyNumber, byName, operation, wholeNumber } from "../values/thing.ts";
import { aTypeWord, raiseUndefined, textOf, Undefined, type Value } from "../values/value.ts";

const FLOAT_TEXT = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/;
const SPECIAL_FLOAT = /^([+-]?)(inf|infinity|nan)$/i;

/** Python's float() of a value, or undefined where it would raise. */
export function toFloat(value: Value): number | undefined {
  if (value instanceof Undefined) return raiseUndefined(value);
  const text = textOf(value);
  if (text === undefined) return numberOf(value);
  const trimmed = strip(text, "both");
  const special = SPECIAL_FLOAT.exec(trimmed);
  if (special) {
    const size = special[2]!.toLowerCase() === "nan" ? Number.NaN : Number.POSITIVE_INFINITY;
    return special[1] === "-" ? -size : size;
  }
  return FLOAT_TEXT.test(trimmed) ? Number(trimmed.replaceAll("_", "")) : undefined;
}

const PREFIXES: Readonly<Record<number, string>> = { 2: "0b", 8: "0o", 16: "0x" };

/** Python's int() of a text in a base, or undefined where it would raise. */
function integerFromText(text: string, base: number): Int | undefined {
  const match = /^([+-]?)([0-9a-zA-Z]+(?:_[0-9a-zA-Z]+)*)$/.exec(strip(text, "both"));
  if (!match) return undefined;
  const [, sign, body = ""] = match;
  let digits = body.toLowerCase().replaceAll("_", "");
  const actual =
    base === 0 ? Number(Object.keys(PREFIXES).find((key) => digits.startsWith(PREFIXES[Number(key)]!))) || 10 : base;
  const prefix = PREFIXES[actual];
  if (prefix && digits.startsWith(prefix)) digits = digits.slice(2);
  const value = digitsIn(digits, actual);
  if (value === undefined) return undefined;
  return sign === "-" ? (negate(value) as Int) : value;
}

function digitsIn(digits: string, base: number): Int | undefined {
  if (digits === "" || base < 2 || base > 36) return undefined;
  for (const digit of digits) if (!(Number.parseInt(digit, 36) < base)) return undefined;
  if (base === 10) return parseInteger(digits.replace(/^0+(?=\d)/, ""));
  let value = 0n;
  for (const digit of digits) value = BigInt(int(value * BigInt(base) + BigInt(Number.parseInt(digit, 36))));
  return int(value);
}

/** Python's int() of a value, or undefined where it would raise ValueError or TypeError. */
export function toInteger(value: Value, base = 10): Int | undefined {
  if (value instanceof Undefined) return raiseUndefined(value);
  const text = textOf(value);
  if (text !== undefined) return integerFromText(text, base);
  const whole = intOf(value);
  if (whole !== undefined) return whole;
  const n = numberOf(value);
  if (n === undefined || Number.isNaN(n)) return undefined;
  return truncated(n);
}

const truncated = (n: number): Int =>
  Number.isFinite(n) ? int(BigInt(Math.trunc(n))) : fail("type", `${floatText(n)} is no whole number.`);

/** round() of a number: whole numbers stay whole. */
export function round(value: Value, digits: number): Value {
  if (value instanceof Undefined) return raiseUndefined(value);
  const whole = intOf(value);
  if (whole === undefined) return float(roundFloat(anyNumber(value), digits));
  if (digits >= 0) return whole;
  if (digits < -4000) return 0;
  const unit = 10n ** BigInt(-digits);
  const n = BigInt(whole);
  const size = n < 0n ? -n : n;
  const rest = size % unit;
  const up = rest * 2n > unit || (rest * 2n === unit && (size / unit) % 2n === 1n);
  const rounded = size - rest + (up ? unit : 0n);
  return int(n < 0n ? -rounded : rounded);
}

function roundTowards(value: Value, digits: number, method: string): Value {
  if (method === "common") return round(value, digits);
  const step = method === "ceil" ? Math.ceil : method === "floor" ? Math.floor : undefined;
  if (!step) return fail("type", "The method of 'round' is common, ceil or floor.");
  const unit = 10 ** digits;
  return float((step(anyNumber(value) * unit) + 0) / unit);
}

const SIZES = {
  decimal: { base: 1000, units: ["kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"] },
  binary: { base: 1024, units: ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"] },
};

function fileSize(value: Value, binary: boolean): string {
  const bytes = toFloat(value) ?? fail("type", `A number of bytes is needed, not ${aTypeWord(value)}.`);
  const { base, units } = binary ? SIZES.binary : SIZES.decimal;
  if (bytes === 1) return "1 Byte";
  if (bytes < base) return `${Math.trunc(bytes)} Bytes`;
  let unit = base;
  let index = 0;
  while (bytes >= unit * base && index < units.length - 1) {
    unit *= base;
    index++;
  }
  return `${fixed(bytes / unit, 1)} ${units[index]}`;
}

export const NUMBER_FILTERS = byName({
  abs: operation([], (input) => {
    const n = anyNumber(input);
    return n < 0 ? negate(input) : (intOf(input) ?? float(Math.abs(n)));
  }),
  int: operation(["default?", "base?"], (input, [fallback = 0, base]) => {
    const whole = toInteger(input, wholeNumber(base, 10));
    if (whole !== undefined) return whole;
    const n = toFloat(input);
    return n === undefined || !Number.isFinite(n) ? fallback : truncated(n);
  }),
  float: operation(["default?"], (input, [fallback = float(0)]) => {
    const n = toFloat(input);
    return n === undefined ? fallback : float(n);
  }),
  round: operation(["precision?", "method?"], (input, [precision, method = "common"]) =>
    roundTowards(input, wholeNumber(precision, 0), textOf(method) ?? ""),
  ),
  filesizeformat: operation(["binary?"], (input, [binary = false]) => fileSize(input, isTrue(binary))),
});
