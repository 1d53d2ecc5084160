// Methods of mappings. As with lists, only mappings made by the template can be changed.

import { fail } from "../error.ts";
import { spend, spendItems } from "../limits.ts";
import { MISSING } from "../scope.ts";
import { Dict, type Dictionary, entriesOf, entryOf, isDictionary, keysOf, sizeOf } from "../values/dict.ts";
import { itemsOf } from "../values/iterate.ts";
import { View } from "../values/sequences.ts";
import { operation } from "../values/signature.ts";
import type { Operation } from "../values/thing.ts";
import { tuple, type Value } from "../values/value.ts";

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

function changing(parameters: readonly string[], run: (dict: Dict, args: readonly Value[]) => Value): Operation {
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
    changing(["key", "default?"], (dict, [key, fallback = null]) => {
      if (!dict.has(key)) dict.set(key, fallback);
      return dict.get(key);
    }),
  ],
  [
    "pop",
    changing(["key", "default?"], (dict, [key, fallback]) => {
      if (!dict.has(key) && fallback === undefined) fail("type", "There is no such key to pop.");
      const value = dict.has(key) ? dict.get(key) : fallback;
      dict.delete(key);
      return value;
    }),
  ],
  [
    "popitem",
    changing([], (dict) => {
      const last = dict.keys().at(-1);
      if (last === undefined) fail("type", "The mapping is empty: there is nothing to pop.");
      const pair = tuple(last, dict.get(last));
      dict.delete(last);
      return pair;
    }),
  ],
  ["clear", changing([], (dict) => void dict.clear())],
  [
    "update",
    (input, args) => {
      fill(own(input), args.positional[0], args.named);
      return null;
    },
  ],
]);
