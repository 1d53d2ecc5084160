// Filters that put items in order or together.

import { fail } from "../error.ts";
import { isEqual, isTrue, sorted } from "../values/compare.ts";
import { entriesOf, hashKey, isDictionary } from "../values/dict.ts";
import { itemsOf, iterate } from "../values/iterate.ts";
import { Generator, list } from "../values/sequences.ts";
import { operation } from "../values/signature.ts";
import type { Host, Operation } from "../values/thing.ts";
import { raiseUndefined, Undefined } from "../values/undefined.ts";
import { aTypeWord, groupOf, tuple, type Value } from "../values/value.ts";
import { fieldReader, fieldsReader, foldCase } from "./fields.ts";

function folding(caseSensitive: Value): (value: Value) => Value {
  return caseSensitive !== undefined && isTrue(caseSensitive) ? (value) => value : foldCase;
}

function sort(input: Value, [reverse = false, caseSensitive, attribute]: readonly Value[], host: Host): Value {
  const fold = folding(caseSensitive);
  const readers = fieldsReader(attribute, host);
  const [only] = readers;
  const keyOf =
    readers.length === 1 && only
      ? (item: Value) => fold(only(item))
      : (item: Value) => readers.map((read) => fold(read(item)));
  return list(sorted(itemsOf(input), keyOf, isTrue(reverse)));
}

function sortDict(input: Value, [caseSensitive, by = "key", reverse = false]: readonly Value[]): Value {
  if (input instanceof Undefined) raiseUndefined(input);
  if (!isDictionary(input)) return fail("type", `'dictsort' needs a mapping, not ${aTypeWord(input)}.`);
  const fold = folding(caseSensitive);
  const position = by === "key" ? 0 : by === "value" ? 1 : fail("type", "'dictsort' sorts by 'key' or 'value'.");
  const entries = sorted(entriesOf(input), (entry) => fold(entry[position]), isTrue(reverse));
  return list(entries.map(([key, value]) => tuple(key, value)));
}

function* unique(input: Value, [caseSensitive, attribute]: readonly Value[], host: Host): Iterable<Value> {
  const fold = folding(caseSensitive);
  const read = fieldReader(attribute, host);
  const seen = new Set<unknown>();
  for (const item of iterate(input)) {
    const key = hashKey(fold(read(item)));
    if (seen.has(key)) continue;
    seen.add(key);
    yield item;
  }
}

function groupBy(input: Value, [attribute, fallback, caseSensitive]: readonly Value[], host: Host): Value {
  const fold = folding(caseSensitive);
  const read = fieldReader(attribute, host, fallback ?? undefined);
  const groups: { readonly key: Value; readonly name: Value; readonly items: Value[] }[] = [];
  for (const item of sorted(itemsOf(input), (candidate) => fold(read(candidate)))) {
    const name = read(item);
    const key = fold(name);
    const group = groups.at(-1);
    if (group && isEqual(group.key, key)) group.items.push(item);
    else groups.push({ key, name, items: [item] });
  }
  return list(
    groups.map(({ name, items }) => {
      return groupOf(name, list(items));
    }),
  );
}

export const ORDER_FILTERS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ["sort", operation(["reverse?", "case_sensitive?", "attribute?"], sort)],
  ["dictsort", operation(["case_sensitive?", "by?", "reverse?"], sortDict)],
  [
    "unique",
    operation(["case_sensitive?", "attribute?"], (input, args, host) => new Generator(unique(input, args, host))),
  ],
  ["groupby", operation(["attribute", "default?", "case_sensitive?"], groupBy)],
]);
