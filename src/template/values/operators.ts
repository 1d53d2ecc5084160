// `+ - * / // % **`, `~`, `in` and the comparisons, on whatever values.

import { fail } from "../error.ts";
import { spendItems, spendText } from "../limits.ts";
import { paySearch } from "./characters.ts";
import { compare, isEqual, numericHint } from "./compare.ts";
import { entryOf, isDictionary, iterableOf } from "./dict.ts";
import { type Arithmetic, arithmetic, type Bitwise, bitwise, indexOf, numberOf } from "./numbers.ts";
import { printf } from "./printf.ts";
import { str } from "./repr.ts";
import { list, Range } from "./sequences.ts";
import {
  aTypeWord,
  escapeHtml,
  Markup,
  MISSING,
  raiseUndefined,
  Tuple,
  textOf,
  tupleOf,
  Undefined,
  type Value,
} from "./value.ts";

const BITWISE: ReadonlySet<string> = new Set<Bitwise>(["&", "|", "^", "<<", ">>"]);
export const isBitwise = (operator: Arithmetic | Bitwise): operator is Bitwise => BITWISE.has(operator);

export function binary(operator: Arithmetic | Bitwise, left: Value, right: Value): Value {
  const result = isBitwise(operator)
    ? bitwise(operator, left, right)
    : (arithmetic(operator, left, right) ?? onSequences(operator, left, right));
  if (result !== undefined) return result;
  if (left instanceof Undefined) raiseUndefined(left);
  if (right instanceof Undefined) raiseUndefined(right);
  const hint = numericHint(left, right);
  return fail("type", `'${operator}' does not work with ${aTypeWord(left)} and ${aTypeWord(right)}.${hint}`);
}

function onSequences(operator: Arithmetic, left: Value, right: Value): Value {
  if (operator === "+") return add(left, right);
  if (operator === "*") return repeat(left, indexOf(right)) ?? repeat(right, indexOf(left));
  const format = operator === "%" ? textOf(left) : undefined;
  if (format === undefined) return undefined;
  return left instanceof Markup ? new Markup(printf(format, right, (text) => escapeHtml(text))) : printf(format, right);
}

function add(left: Value, right: Value): Value {
  if (Array.isArray(left) && Array.isArray(right)) {
    if (left instanceof Tuple !== right instanceof Tuple) return undefined;
    spendItems(left.length + right.length);
    const items: Value[] = [];
    for (const item of left) items.push(item);
    for (const item of right) items.push(item);
    return left instanceof Tuple ? tupleOf(items) : list(items);
  }
  const a = textOf(left);
  const b = textOf(right);
  if (a === undefined || b === undefined) return undefined;
  spendText(a.length + b.length);
  if (!(left instanceof Markup || right instanceof Markup)) return a + b;
  return new Markup((left instanceof Markup ? a : escapeHtml(a)) + (right instanceof Markup ? b : escapeHtml(b)));
}

function repeat(value: Value, times: number | undefined): Value {
  if (times === undefined) return undefined;
  const count = Math.max(0, times);
  const text = textOf(value);
  if (text !== undefined) {
    spendText(text.length * count);
    const repeated = text === "" ? "" : text.repeat(count);
    return value instanceof Markup ? new Markup(repeated) : repeated;
  }
  if (!Array.isArray(value)) return undefined;
  spendItems(value.length * count);
  const items: Value[] = [];
  if (value.length > 0) for (let i = 0; i < count; i++) for (const item of value) items.push(item);
  return value instanceof Tuple ? tupleOf(items) : list(items);
}

/** `a ~ b ~ c`. */
export function concat(parts: readonly Value[]): string {
  let text = "";
  for (const part of parts) {
    text += str(part);
    spendText(text.length);
  }
  return text;
}

export function contains(container: Value, item: Value): boolean {
  const text = textOf(container);
  if (text !== undefined) {
    if (item instanceof Undefined) raiseUndefined(item);
    const part = textOf(item) ?? fail("type", `Only text can be in text; this is ${aTypeWord(item)}.`);
    paySearch(text, part);
    return text.includes(part);
  }
  if (isDictionary(container)) return entryOf(container, item) !== MISSING;
  if (container instanceof Range) {
    if (item instanceof Undefined) raiseUndefined(item);
    const n = numberOf(item);
    return n !== undefined && container.includes(n);
  }
  const items = iterableOf(container);
  if (!items)
    return fail("type", `Nothing can be in ${aTypeWord(container)}; a list, mapping or text is needed after 'in'.`);
  for (const candidate of items) if (isEqual(candidate, item)) return true;
  return false;
}

const COMPARISONS = {
  "==": isEqual,
  "!=": (left: Value, right: Value) => !isEqual(left, right),
  "<": (left: Value, right: Value) => compare(left, right) < 0,
  "<=": (left: Value, right: Value) => compare(left, right) <= 0,
  ">": (left: Value, right: Value) => compare(left, right) > 0,
  ">=": (left: Value, right: Value) => compare(left, right) >= 0,
  in: (left: Value, right: Value) => contains(right, left),
  "not in": (left: Value, right: Value) => !contains(right, left),
};

export type Comparison = keyof typeof COMPARISONS;

export const holds = (operator: Comparison, left: Value, right: Value): boolean => COMPARISONS[operator](left, right);
