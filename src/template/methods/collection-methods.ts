// Methods of lists, tuples and mappings. Those that change something work only on what the template made.
import { fail } from "../error.ts";
import { spend, spendItems } from "../limits.ts";
import { MISSING } from "../scope.ts";
import { isEqual, isTrue, sorted } from "../values/compare.ts";
import { Dict, type Dictionary, entriesOf, entryOf, isDictionary, keysOf, sizeOf } from "../values/dict.ts";
import { itemsOf } from "../values/iterate.ts";
import { isOwnList, list, View } from "../values/sequences.ts";
import { operation, wholeNumber } from "../values/signature.ts";
import type { Operation } from "../values/thing.ts";
import { tuple, type Value } from "../values/value.ts";

// Methods of lists and tuples. The ones that change a list only work on lists that the
// template has made: data that was handed in belongs to the run.

function changingList(
  parameters: readonly string[],
  run: (items: Value[], args: readonly Value[]) => Value,
): Operation {
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
    changingList(["value"], (items, [value]) => {
      spendItems(items.length >>> 6);
      items.push(value);
    }),
  ],
  [
    "extend",
    changingList(["values"], (items, [values]) => {
      const more = itemsOf(values);
      spendItems(items.length + more.length);
      for (const item of [...more]) items.push(item);
    }),
  ],
  [
    "insert",
    changingList(["index", "value"], (items, [index, value]) => void items.splice(wholeNumber(index, 0), 0, value)),
  ],
  [
    "pop",
    changingList(["index?"], (items, [index]) => {
      const given = wholeNumber(index, -1);
      const at = given < 0 ? given + items.length : given;
      if (at < 0 || at >= items.length) fail("type", "There is nothing to pop at this place.");
      return items.splice(at, 1)[0];
    }),
  ],
  [
    "remove",
    changingList(["value"], (items, [value]) => {
      const at = items.findIndex((item) => isEqual(item, value));
      if (at < 0) fail("type", "The list does not contain what 'remove' looks for.");
      items.splice(at, 1);
    }),
  ],
  ["clear", changingList([], (items) => void items.splice(0))],
  ["reverse", changingList([], (items) => void items.reverse())],
  [
    "sort",
    changingList(["reverse?"], (items, [reverse]) => {
      const ordered = sorted(items, (item) => item, reverse !== undefined && isTrue(reverse));
      for (let i = 0; i < ordered.length; i++) items[i] = ordered[i];
    }),
  ],
]);

// Methods of mappings. As with lists, only mappings made by the template can be changed.

/** What `dict(…)` and `update(…)` take: a mapping or pairs, and named values. */
export function fill(dict: Dict, source: Value, named: ReadonlyMap<string, Value>): Dict {
  if (isDictionary(source)) {
    spend(sizeOf(source));
    for (const [key, value] of entriesOf(source)) dict.set(key, value);
  } else if (source !== undefined) {
    for (const entry of itemsOf(source)) {
      const pair = itemsOf(entry);
      if (pair.length !== 2) fail("type", "A mapping is made of pairs; this list has something else in it.");
      dict.set(pair[0], pair[1]);
    }
  }
  for (const [key, value] of named) dict.set(key, value);
  spendItems(dict.size);
  return dict;
}

function changingDict(parameters: readonly string[], run: (dict: Dict, args: readonly Value[]) => Value): Operation {
  return operation(parameters, (input, args) => run(own(input), args) ?? null);
}

function own(input: Value): Dict {
  if (input instanceof Dict) return input;
  return fail("type", "This mapping was handed in and cannot be changed; 'dict(x)' makes a copy that can.");
}

function view(what: "keys" | "values" | "items", items: (mapping: Dictionary) => Value[]): Operation {
  return operation([], (input) => new View(what, () => items(input as Dictionary)));
}

export const DICT_METHODS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ["keys", view("keys", keysOf)],
  ["values", view("values", (mapping) => entriesOf(mapping).map(([, value]) => value))],
  ["items", view("items", (mapping) => entriesOf(mapping).map(([key, value]) => tuple(key, value)))],
  [
    "get",
    operation(["key", "default?"], (input, [key, fallback = null]) => {
      const value = entryOf(input as Dictionary, key);
      return value === MISSING ? fallback : value;
    }),
  ],
  ["copy", operation([], (input) => fill(new Dict(), input, new Map()))],
  [
    "setdefault",
    changingDict(["key", "default?"], (dict, [key, fallback = null]) => {
      if (!dict.has(key)) dict.set(key, fallback);
      return dict.get(key);
    }),
  ],
  [
    "pop",
    changingDict(["key", "default?"], (dict, [key, fallback]) => {
      if (!dict.has(key) && fallback === undefined) fail("type", "There is no such key to pop.");
      const value = dict.has(key) ? dict.get(key) : fallback;
      dict.delete(key);
      return value;
    }),
  ],
  [
    "popitem",
    changingDict([], (dict) => {
      const last = dict.keys().at(-1);
      if (last === undefined) fail("type", "The mapping is empty: there is nothing to pop.");
      const pair = tuple(last, dict.get(last));
      dict.delete(last);
      return pair;
    }),
  ],
  ["clear", changingDict([], (dict) => void dict.clear())],
  [
    "update",
    (input, args) => {
      fill(own(input), args.positional[0], args.named);
      return null;
    },
  ],
]);
