// Methods of lists and tuples. The ones that change a list only work on lists that the
// template has made: data that was handed in belongs to the run.

import { fail } from "../error.ts";
import { spend, spendItems } from "../limits.ts";
import { isEqual, isTrue, sorted } from "../values/compare.ts";
import { itemsOf } from "../values/iterate.ts";
import { isOwnList, list } from "../values/sequences.ts";
import { operation, wholeNumber } from "../values/signature.ts";
import type { Operation } from "../values/thing.ts";
import type { Value } from "../values/value.ts";

function changing(parameters: readonly string[], run: (items: Value[], args: readonly Value[]) => Value): Operation {
  return operation(parameters, (input, args) => {
    const items = input as Value[];
    if (!isOwnList(items))
      fail("type", "This list was handed in and cannot be changed; 'xs | list' makes a copy that can.");
    spend(1);
    const result = run(items, args);
    spendItems(items.length >>> 6);
    return result === undefined ? null : result;
  });
}

export const SEQUENCE_METHODS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ["count", operation(["value"], (input, [value]) => (input as Value[]).filter((item) => isEqual(item, value)).length)],
  [
    "index",
    operation(["value", "start?", "end?"], (input, [value, start, end]) => {
      const items = input as Value[];
      const at = items.findIndex(
        (item, i) => i >= wholeNumber(start, 0) && i < wholeNumber(end, items.length) && isEqual(item, value),
      );
      return at >= 0 ? at : fail("type", "The list does not contain what 'index' looks for.");
    }),
  ],
]);

export const LIST_METHODS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ["copy", operation([], (input) => list([...(input as Value[])]))],
  [
    "append",
    changing(["value"], (items, [value]) => {
      spendItems(items.length >>> 6);
      items.push(value);
    }),
  ],
  [
    "extend",
    changing(["values"], (items, [values]) => {
      const more = itemsOf(values);
      spendItems(items.length + more.length);
      for (const item of [...more]) items.push(item);
    }),
  ],
  [
    "insert",
    changing(["index", "value"], (items, [index, value]) => void items.splice(wholeNumber(index, 0), 0, value)),
  ],
  [
    "pop",
    changing(["index?"], (items, [index]) => {
      const given = wholeNumber(index, -1);
      const at = given < 0 ? given + items.length : given;
      if (at < 0 || at >= items.length) fail("type", "There is nothing to pop at this place.");
      return items.splice(at, 1)[0];
    }),
  ],
  [
    "remove",
    changing(["value"], (items, [value]) => {
      const at = items.findIndex((item) => isEqual(item, value));
      if (at < 0) fail("type", "The list does not contain what 'remove' looks for.");
      items.splice(at, 1);
    }),
  ],
  ["clear", changing([], (items) => void items.splice(0))],
  ["reverse", changing([], (items) => void items.reverse())],
  [
    "sort",
    changing(["reverse?"], (items, [reverse]) => {
      const ordered = sorted(items, (item) => item, reverse !== undefined && isTrue(reverse));
      for (let i = 0; i < ordered.length; i++) items[i] = ordered[i];
    }),
  ],
]);
