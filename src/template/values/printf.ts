// `'%s: %d' % (name, count)`: Python's formatting with percent signs.

import { fail } from "../error.ts";
import { spend, spendText } from "../limits.ts";
import { entryOf, isDictionary } from "./dict.ts";
import { exponential, Float, fixed, general } from "./float.ts";
import { indexOf, int, intOf, numberOf } from "./numbers.ts";
import { repr, str } from "./repr.ts";
import { Range } from "./sequences.ts";
import { aTypeWord, Markup, MISSING, raiseUndefined, Tuple, textOf, Undefined, type Value } from "./value.ts";

const DIRECTIVE = /%(?:\(([^)]*)\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+)?)?([hlL]?)([\s\S])?/g;

interface Directive {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
  readonly type: string;
}

/** `escapeText` is applied to inserted texts when the format is safe HTML. */
export function printf(format: string, values: Value, escapeText?: (text: string) => string): string {
  const feed = new Feed(values);
  let length = format.length;
  const result = format.replace(
    DIRECTIVE,
    (whole, key?: string, flags = "", width = "", precision?: string, _size?: string, type?: string) => {
      spend(1);
      const dotted = whole.includes(".", 1 + (key === undefined ? 0 : key.length + 2) + flags.length + width.length);
      const star = width === "*" ? feed.count() : Number(width || 0);
      const digits =
        precision === "*" ? feed.count() : precision === undefined ? (dotted ? 0 : undefined) : Number(precision);
      if (type === "%") return "%";
      if (type === undefined) return fail("type", "The format ends in the middle of a '%'.");
      const value = key === undefined ? feed.next() : feed.named(key);
      const directive: Directive = {
        flags: star < 0 ? `${flags}-` : flags,
        width: Math.abs(star),
        precision: digits,
        type,
      };
      spendText(directive.width);
      const text = formatted(directive, value, escapeText);
      length += text.length;
      spendText(length);
      return text;
    },
  );
  feed.end();
  return result;
}

/** Hands out the right side of `%`: a tuple item by item, a mapping by key, anything else once. */
class Feed {
  private at = 0;
  private usedKeys = false;
  private readonly items: readonly Value[];

  constructor(private readonly values: Value) {
    this.items = values instanceof Tuple ? values : [values];
  }

  next(): Value {
    if (this.at >= this.items.length) return fail("type", "The format has more '%' than there are values.");
    const value = this.items[this.at++];
    return value instanceof Undefined ? raiseUndefined(value) : value;
  }

  count(): number {
    return indexOf(this.next()) ?? fail("type", "'*' in a format needs a whole number.");
  }

  named(key: string): Value {
    this.usedKeys = true;
    if (!isDictionary(this.values)) return fail("type", "A format with names needs a mapping.");
    const value = entryOf(this.values, key);
    if (value === MISSING) return fail("type", `The format asks for '${key}', which is not among the values.`);
    return value instanceof Undefined ? raiseUndefined(value) : value;
  }

  /** Python lets a mapping, a list or a range go unused, but not a single value. */
  end(): void {
    const countable = Array.isArray(this.values) || isDictionary(this.values) || this.values instanceof Range;
    if (this.usedKeys || (countable && !(this.values instanceof Tuple))) return;
    if (this.at >= this.items.length) return;
    if (this.values instanceof Undefined) raiseUndefined(this.values);
    fail("type", "There are more values than '%' in the format.");
  }
}

function formatted(directive: Directive, value: Value, escapeText?: (text: string) => string): string {
  const { type, flags, precision } = directive;
  switch (type) {
    case "s":
    case "r":
    case "a": {
      const text = type === "s" ? str(value) : repr(value);
      const safe = escapeText && !(type === "s" && value instanceof Markup) ? escapeText(text) : text;
      return padded(
        directive,
        "",
        precision === undefined ? safe : Array.from(safe).slice(0, precision).join(""),
        false,
      );
    }
    case "c":
      return padded(directive, "", character(value), false);
    case "d":
    case "i":
    case "u":
      return signed(directive, wholeOf(value, type, true));
    case "x":
    case "X":
    case "o":
      return signed(directive, wholeOf(value, type, false));
    case "e":
    case "E":
    case "f":
    case "F":
    case "g":
    case "G": {
      const n = numberOf(value) ?? fail("type", `'%${type}' needs a number, not ${aTypeWord(value)}.`);
      const lower = type.toLowerCase();
      const digits = precision ?? 6;
      const text =
        lower === "f"
          ? fixed(n, digits)
          : lower === "e"
            ? exponential(n, digits)
            : general(n, digits, flags.includes("#"));
      const cased = type === lower ? text : text.toUpperCase();
      return cased.startsWith("-")
        ? padded(directive, "-", cased.slice(1), true)
        : padded(directive, plus(flags), cased, true);
    }
    default:
      return fail("type", `'%${type}' is not a format.`);
  }
}

function wholeOf(value: Value, type: string, fromFloat: boolean): bigint {
  const whole = intOf(value);
  if (whole !== undefined) return BigInt(whole);
  const n = fromFloat ? numberOf(value) : undefined;
  if (n !== undefined && Number.isFinite(n)) return BigInt(int(BigInt(Math.trunc(n))));
  return fail("type", `'%${type}' needs a whole number, not ${value instanceof Float ? "a float" : aTypeWord(value)}.`);
}

function signed(directive: Directive, n: bigint): string {
  const { type, flags, precision = 0 } = directive;
  const size = n < 0n ? -n : n;
  spendText(precision);
  let digits = size.toString(type === "o" ? 8 : type === "x" || type === "X" ? 16 : 10).padStart(precision, "0");
  let prefix = n < 0n ? "-" : plus(flags);
  if (flags.includes("#") && (type === "x" || type === "X" || type === "o")) prefix += `0${type.toLowerCase()}`;
  if (type === "X") {
    digits = digits.toUpperCase();
    prefix = prefix.toUpperCase();
  }
  return padded(directive, prefix, digits, true);
}

function plus(flags: string): string {
  if (flags.includes("+")) return "+";
  return flags.includes(" ") ? " " : "";
}

function padded(directive: Directive, prefix: string, text: string, numeric: boolean): string {
  const { flags, width } = directive;
  if (flags.includes("-")) return (prefix + text).padEnd(width);
  if (numeric && flags.includes("0")) return prefix + text.padStart(width - prefix.length, "0");
  return (prefix + text).padStart(width);
}

function character(value: Value): string {
  const text = textOf(value);
  if (text !== undefined && Array.from(text).length === 1) return text;
  const point = indexOf(value);
  if (point === undefined || point < 0 || point > 0x10ffff)
    return fail("type", "'%c' needs one character or its number.");
  return String.fromCodePoint(point);
}
