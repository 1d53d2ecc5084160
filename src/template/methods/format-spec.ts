// What follows the colon in a format field: fill, alignment, sign, width, precision, type.

import { fail } from "../error.ts";
import { spendText } from "../limits.ts";
import { lengthOf, sliceOf } from "../values/characters.ts";
import { exponential, fixed, floatText, general } from "../values/float.ts";
import { textOf } from "../values/markup.ts";
import { intOf, numberOf } from "../values/numbers.ts";
import { str } from "../values/repr.ts";
import { aTypeWord, type Value } from "../values/value.ts";

const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/su;

interface Spec {
  readonly fill: string;
  readonly align: string;
  readonly sign: string;
  readonly alternate: boolean;
  readonly width: number;
  readonly group: string;
  readonly precision: number | undefined;
  readonly type: string;
}

function parseSpec(text: string): Spec {
  const match = SPEC.exec(text) ?? fail("type", `'${text}' is not a format.`);
  const [, fill, align, sign = "-", alternate, zero, width, group = "", precision, type = ""] = match;
  return {
    fill: fill ?? (zero && !align ? "0" : " "),
    align: align ?? (zero ? "=" : ""),
    sign,
    alternate: alternate !== undefined,
    width: Number(width ?? 0),
    group,
    precision: precision === undefined ? undefined : Number(precision),
    type,
  };
}

export function formatValue(value: Value, specText: string): string {
  if (specText === "") return str(value);
  const spec = parseSpec(specText);
  spendText(spec.width);
  if (numberOf(value) !== undefined) return formatNumber(value, spec);
  const text = textOf(value);
  const numeric = spec.sign !== "-" || spec.group !== "" || spec.alternate || (spec.type !== "" && spec.type !== "s");
  if (text === undefined || numeric)
    return fail("type", `The format '${specText}' does not work with ${aTypeWord(value)}.`);
  const cut = spec.precision === undefined ? text : sliceOf(text, 0, spec.precision);
  return align(spec.align === "=" ? { ...spec, align: "<" } : spec, "", cut, "<");
}

function formatNumber(value: Value, spec: Spec): string {
  const whole = intOf(value);
  const integer = whole !== undefined && "bcdoxXn".includes(spec.type);
  if (integer && spec.type === "c") return align(spec, "", String.fromCodePoint(Number(whole)), "<");
  const negative = whole !== undefined ? whole < 0 : numberOf(value)! < 0 || Object.is(numberOf(value), -0);
  const text =
    integer || (whole !== undefined && spec.type === "") ? digitsOf(BigInt(whole), spec) : floatDigits(value, spec);
  const prefix = (negative ? "-" : spec.sign === "-" ? "" : spec.sign) + basePrefix(spec);
  return align(spec, prefix, text, ">");
}

function basePrefix(spec: Spec): string {
  return spec.alternate && "boxX".includes(spec.type) && spec.type !== "" ? `0${spec.type}` : "";
}

const BASES: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16, X: 16 };

function digitsOf(n: bigint, spec: Spec): string {
  if (spec.precision !== undefined) fail("type", "A whole number has no precision in a format.");
  const base = BASES[spec.type] ?? 10;
  const digits = (n < 0n ? -n : n).toString(base);
  return grouped(spec.type === "X" ? digits.toUpperCase() : digits, spec.group, base === 10 ? 3 : 4);
}

function floatDigits(value: Value, spec: Spec): string {
  const n = Math.abs(numberOf(value)!);
  const text = unsignedFloat(n, spec);
  const [whole = "", ...rest] = text.split(/(?=[.e%])/i);
  const cased = grouped(whole, spec.group, 3) + rest.join("");
  return spec.type === "E" || spec.type === "F" || spec.type === "G" ? cased.toUpperCase() : cased;
}

function unsignedFloat(n: number, spec: Spec): string {
  const { precision } = spec;
  switch (spec.type) {
    case "f":
    case "F":
      return fixed(n, precision ?? 6);
    case "e":
    case "E":
      return exponential(n, precision ?? 6);
    case "g":
    case "G":
    case "n":
      return general(n, precision ?? 6, spec.alternate);
    case "%":
      return `${fixed(n * 100, precision ?? 6)}%`;
    case "": {
      if (precision === undefined) return floatText(n);
      const text = general(n, precision);
      return /[.e]|inf|nan/.test(text) ? text : `${text}.0`;
    }
    default:
      return fail("type", `The format '${spec.type}' does not work with a float.`);
  }
}

function grouped(digits: string, separator: string, size: number): string {
  if (separator === "" || !/^[0-9a-fA-F]+$/.test(digits)) return digits;
  const parts: string[] = [];
  for (let end = digits.length; end > 0; end -= size) parts.unshift(digits.slice(Math.max(0, end - size), end));
  return parts.join(separator);
}

function align(spec: Spec, prefix: string, text: string, fallback: "<" | ">"): string {
  const missing = Math.max(0, spec.width - lengthOf(prefix + text));
  const fill = (count: number): string => spec.fill.repeat(count);
  switch (spec.align || fallback) {
    case "<":
      return prefix + text + fill(missing);
    case "^":
      return fill(Math.floor(missing / 2)) + prefix + text + fill(Math.ceil(missing / 2));
    case "=":
      return prefix + fill(missing) + text;
    default:
      return fill(missing) + prefix + text;
  }
}
