// Whether two values are equal, which of them comes first, and whether one counts as true.
import { fail } from "../error.ts";
import { spend } from "../limits.ts";
import { compareText } from "./characters.ts";
import { type Dictionary, entriesOf, entryOf, hashKey, isDictionary, sizeOf } from "./dict.ts";
import { Float } from "./float.ts";
import { intOf, numberOf } from "./numbers.ts";
import { Range, View } from "./sequences.ts";
import { aTypeWord, Markup, MISSING, Nothing, raiseUndefined, Tuple, textOf, Undefined, type Value } from "./value.ts";

/** Python's `==`: by content; 1 == 1.0 == True; a list is never a tuple. */
export function isEqual(a: Value, b: Value): boolean {
  spend(1);
  if (a instanceof Undefined && !(a instanceof Nothing)) raiseUndefined(a);
  if (b instanceof Undefined && !(b instanceof Nothing)) raiseUndefined(b);
  if (a instanceof Nothing || b instanceof Nothing) return a instanceof Nothing && b instanceof Nothing;
  if (typeof a === "string" && typeof b === "string") return a === b;
  const text = textOf(a);
  if (text !== undefined) return text === textOf(b);
  if (numberOf(a) !== undefined) return sameNumber(a, b);
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && sameItems(a, b);
  if (isDictionary(a)) return isDictionary(b) && sameEntries(a, b);
  if (a instanceof Range) return b instanceof Range && a.text === b.text;
  if (a instanceof View && a.what !== "values") return b instanceof View && sameMembers(a.items(), b.items());
  return false;
}

function sameNumber(a: Value, b: Value): boolean {
  const x = intOf(a);
  const y = intOf(b);
  if (x !== undefined && y !== undefined) return x === y;
  // A bigint and a number compare exactly, which rounding one to the other would not.
  const p = x ?? numberOf(a);
  const q = y ?? numberOf(b);
  return p !== undefined && q !== undefined && p <= q && p >= q;
}

function sameItems(a: readonly Value[], b: readonly Value[]): boolean {
  if (a.length !== b.length || a instanceof Tuple !== b instanceof Tuple) return false;
  return a.every((item, i) => isEqual(item, b[i]));
}

function sameEntries(a: Dictionary, b: Dictionary): boolean {
  if (sizeOf(a) !== sizeOf(b)) return false;
  return entriesOf(a).every(([key, value]) => {
    const other = entryOf(b, key);
    return other !== MISSING && isEqual(value, other);
  });
}

function sameMembers(a: readonly Value[], b: readonly Value[]): boolean {
  if (a.length !== b.length) return false;
  const hashes = new Set(a.map(hashKey));
  return b.every((item) => hashes.has(hashKey(item)));
}

/** Negative, zero or positive; NaN if the two have no order; raises for what Python does not compare. */
export function compare(a: Value, b: Value): number {
  spend(1);
  const order = numbers(a, b) ?? texts(a, b) ?? sequences(a, b);
  if (order !== undefined) return order;
  if (a instanceof Undefined) raiseUndefined(a);
  if (b instanceof Undefined) raiseUndefined(b);
  return fail(
    "type",
    `${capital(aTypeWord(a))} and ${aTypeWord(b)} have no order: they cannot be compared with < or >.${numericHint(a, b)}`,
  );
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function numbers(a: Value, b: Value): number | undefined {
  const x = intOf(a) ?? numberOf(a);
  const y = intOf(b) ?? numberOf(b);
  if (x === undefined || y === undefined) return undefined;
  if (x < y) return -1;
  return x > y ? 1 : x >= y ? 0 : Number.NaN;
}

function texts(a: Value, b: Value): number | undefined {
  const x = textOf(a);
  const y = textOf(b);
  return x === undefined || y === undefined ? undefined : compareText(x, y);
}

function sequences(a: Value, b: Value): number | undefined {
  if (!Array.isArray(a) || !Array.isArray(b) || a instanceof Tuple !== b instanceof Tuple) return undefined;
  for (let i = 0; i < a.length && i < b.length; i++) {
    if (!isEqual(a[i], b[i])) return compare(a[i], b[i]);
  }
  return a.length - b.length;
}

/** A stable sort in Python's order. */
export function sorted<T>(items: readonly T[], keyOf: (item: T) => Value, reverse = false): T[] {
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  const sign = reverse ? -1 : 1;
  keyed.sort((a, b) => sign * (compare(a.key, b.key) || 0));
  return keyed.map(({ item }) => item);
}

/** Python's truth: empty and zero are false. */
export function isTrue(value: Value): boolean {
  if (typeof value !== "object" || value === null) return Boolean(value) || Number.isNaN(value);
  if (Array.isArray(value)) return value.length > 0;
  if (isDictionary(value)) return sizeOf(value) > 0;
  if (value instanceof Undefined) return value instanceof Nothing ? false : raiseUndefined(value);
  if (value instanceof Float) return value.value !== 0;
  if (value instanceof Markup) return value.text !== "";
  if (value instanceof Range) return value.length > 0;
  if (value instanceof View) return value.items().length > 0;
  return true;
}

// Text that looks like a number, where a calculation meets it. Jinja2 repeats, joins and compares it as text, or raises.

const NUMERIC = /^\s*[+-]?(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

function isNumericText(value: Value): boolean {
  const text = textOf(value);
  return text !== undefined && text.length <= 400 && NUMERIC.test(text);
}

/** What to add to a failure: nothing where no text looks like a number. */
export const numericHint = (...values: readonly Value[]): string =>
  values.some(isNumericText) ? " The text looks like a number; `| float` makes it one." : "";

interface Operands {
  readonly left: Value;
  readonly right: Value;
  /** The whole expression and its sides as they are written. */
  readonly source: string;
  readonly sources: readonly [left: string, right: string];
}

/** What to remark on `+` and `*` that gave text. */
export function textArithmetic(operator: string, { left, right, source, sources }: Operands): string | undefined {
  const isText = [isNumericText(left), isNumericText(right)] as const;
  if (operator === "*" && (isText[0] || isText[1])) {
    const side = sources[isText[0] ? 0 : 1];
    return `In \`${source}\`, \`${side}\` is text that looks like a number, so it is repeated, not multiplied. Write \`${side} | float\` to calculate with it.`;
  }
  if (operator === "+" && isText[0] && isText[1])
    return `In \`${source}\`, both sides are text that looks like a number, so they are joined, not added. Write \`| float\` behind each to add them, or \`~\` to join them.`;
  return undefined;
}

/** What to remark on an order of texts that is not that of the numbers. */
export function textOrder(
  operator: string,
  holds: boolean,
  { left, right, source }: Omit<Operands, "sources">,
): string | undefined {
  if (!isOrder(operator) || !isNumericText(left) || !isNumericText(right)) return undefined;
  const [a, b] = [left, right].map((side) => Number(textOf(side)?.replaceAll("_", ""))) as [number, number];
  if (ORDERS[operator](a, b) === holds) return undefined;
  return `In \`${source}\`, both sides are text that looks like a number, so they are compared letter by letter. Write \`| float\` behind each to compare numbers.`;
}

const ORDERS = {
  "<": (a: number, b: number) => a < b,
  "<=": (a: number, b: number) => a <= b,
  ">": (a: number, b: number) => a > b,
  ">=": (a: number, b: number) => a >= b,
} as const;

const isOrder = (operator: string): operator is keyof typeof ORDERS => Object.hasOwn(ORDERS, operator);
