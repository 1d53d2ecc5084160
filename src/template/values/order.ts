import { fail } from "../error.ts";
import { spend } from "../limits.ts";
import { compareText } from "./code-points.ts";
import { isEqual } from "./equality.ts";
import { textOf } from "./markup.ts";
import { intOf, numberOf } from "./numbers.ts";
import { numericHint } from "./numeric-text.ts";
import { raiseUndefined, Undefined } from "./undefined.ts";
import { aTypeWord, Tuple, type Value } from "./value.ts";

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

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

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
