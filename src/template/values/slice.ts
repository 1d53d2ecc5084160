// `xs[from:to:step]` on lists, tuples, texts and ranges.

import { fail } from "../error.ts";
import { charsOf, hasPairs } from "./code-points.ts";
import { list } from "./lists.ts";
import { like, textOf } from "./markup.ts";
import { indexOf } from "./numbers.ts";
import { Range } from "./range.ts";
import { raiseUndefined, Undefined } from "./undefined.ts";
import { aTypeWord, Tuple, tupleOf, type Value } from "./value.ts";

export function slice(value: Value, from: Value, to: Value, step: Value): Value {
  const text = textOf(value);
  if (text !== undefined) {
    if (bound(step) === undefined && !hasPairs(text)) return like(value, text.slice(bound(from) ?? 0, bound(to)));
    const chars = charsOf(text);
    return like(value, pick(chars.length, from, to, step, (i) => chars[i]!).join(""));
  }
  if (Array.isArray(value)) {
    const items = pick<Value>(value.length, from, to, step, (i) => value[i]);
    return value instanceof Tuple ? tupleOf(items) : list(items);
  }
  if (value instanceof Range) return sliceRange(value, from, to, step);
  if (value instanceof Undefined) raiseUndefined(value);
  return fail("type", `${aTypeWord(value)} cannot be sliced; a list or text can.`);
}

function pick<T>(length: number, from: Value, to: Value, step: Value, at: (index: number) => T): T[] {
  const { start, end, by } = extent(length, from, to, step);
  const picked: T[] = [];
  for (let i = start; by > 0 ? i < end : i > end; i += by) picked.push(at(i));
  return picked;
}

function sliceRange(range: Range, from: Value, to: Value, step: Value): Range {
  const { start, end, by } = extent(range.length, from, to, step);
  return new Range(range.at(start), range.at(end), range.step * by);
}

function extent(length: number, from: Value, to: Value, step: Value) {
  const by = bound(step) ?? 1;
  if (by === 0) fail("type", "The step of a slice cannot be 0.");
  const lowest = by > 0 ? 0 : -1;
  const highest = by > 0 ? length : length - 1;
  const clamp = (index: number | undefined, fallback: number): number => {
    if (index === undefined) return fallback;
    return Math.min(Math.max(index < 0 ? index + length : index, lowest), highest);
  };
  const start = clamp(bound(from), by > 0 ? lowest : highest);
  const end = clamp(bound(to), by > 0 ? highest : lowest);
  return { start, end, by };
}

function bound(value: Value): number | undefined {
  if (value === null || value === undefined) return undefined;
  if (value instanceof Undefined) return raiseUndefined(value);
  return indexOf(value) ?? fail("type", `A slice needs whole numbers, not ${aTypeWord(value)}.`);
}
