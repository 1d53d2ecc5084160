// `'{name}: {0:>8.2f}'.format(…)`. Fields lead only where a template could go anyway:
// attributes and items are looked up by the engine's own rules.
import { fail } from "../error.ts";
import { spend, spendText } from "../limits.ts";
import { lengthOf, sliceOf } from "../values/characters.ts";
import { entryOf, isDictionary } from "../values/dict.ts";
import { exponential, fixed, floatText, general } from "../values/float.ts";
import { intOf, numberOf } from "../values/numbers.ts";
import { repr, str } from "../values/repr.ts";
import type { Host } from "../values/thing.ts";
import { aTypeWord, MISSING, raiseUndefined, textOf, Undefined, type Value } from "../values/value.ts";

const FIELD = /\{\{|\}\}|\{([^{}!:]*)(?:!([rsa]))?(?::((?:[^{}]|\{[^{}]*\})*))?\}|[{}]/g;
const STEP = /\.([^.[\]]+)|\[([^\]]+)\]|[\s\S]/g;

/** `named` is a Map of keyword arguments, or the mapping of format_map. */
export function formatText(format: string, positional: readonly Value[], named: Value, host: Host): string {
  let automatic = 0;
  let length = format.length;
  const fieldOf = (path: string): Value => {
    const root = /^[^.[]*/.exec(path)?.[0] ?? "";
    const key = root === "" ? String(automatic++) : root;
    return follow(argument(key, positional, named), path.slice(root.length), host);
  };
  return format.replace(FIELD, (whole, path?: string, conversion?: string, spec?: string) => {
    spend(1);
    if (whole === "{{" || whole === "}}") return whole[0]!;
    if (path === undefined) return fail("type", `A single '${whole}' in a format must be doubled.`);
    const value = fieldOf(path);
    const converted = conversion === undefined ? value : conversion === "s" ? str(value) : repr(value);
    const filled = (spec ?? "").replace(/\{([^{}]*)\}/g, (_, inner: string) => str(fieldOf(inner)));
    const text = formatValue(converted, filled);
    length += text.length;
    spendText(length);
    return text;
  });
}

function argument(key: string, positional: readonly Value[], named: Value): Value {
  if (/^\d+$/.test(key)) {
    const value = positional[Number(key)];
    return value === undefined
      ? fail("type", `The format asks for value ${key}, but there are ${positional.length}.`)
      : value;
  }
  const value =
    named instanceof Map ? (named.get(key) ?? MISSING) : isDictionary(named) ? entryOf(named, key) : MISSING;
  return value === MISSING ? fail("type", `The format asks for '${key}', which is not among the values.`) : value;
}

/** As in Python, a dot in a format leads to attributes only; `{a[key]}` reads a mapping. */
const attributeOf = (value: Value, name: string, host: Host): Value =>
  isDictionary(value) ? MISSING : host.attribute(value, name);

function follow(start: Value, path: string, host: Host): Value {
  let value = start;
  for (const [step, name, index] of path.matchAll(STEP)) {
    if (name === undefined && index === undefined) return fail("type", `'${step}' is not expected in a format.`);
    const found =
      name !== undefined
        ? attributeOf(value, name, host)
        : host.item(value, /^\d+$/.test(index!) ? Number(index) : index);
    if (found === MISSING) return fail("type", `The format asks for '${name ?? index}', which is not there.`);
    value = found;
  }
  return value instanceof Undefined ? raiseUndefined(value) : value;
}

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

/** What follows the colon in a format field: fill, alignment, sign, width, precision, type. */
function formatValue(value: Value, specText: string): string {
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

const basePrefix = (spec: Spec): string =>
  spec.alternate && "boxX".includes(spec.type) && spec.type !== "" ? `0${spec.type}` : "";

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
