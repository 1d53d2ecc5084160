// Filters over the items of a sequence: put in order, grouped, picked, and changed one by one; and the fields by which.
import { fail } from "../error.ts";
import { spend } from "../limits.ts";
import { methodNames, methodOf } from "../methods/methods.ts";
import { isEqual, isTrue, sorted } from "../values/compare.ts";
import { entriesOf, hashKey, isDictionary, itemsOf, iterate, keysOf } from "../values/dict.ts";
import { intOf } from "../values/numbers.ts";
import { str } from "../values/repr.ts";
import { Generator, list } from "../values/sequences.ts";
import { type Args, byName, type Host, type Operation, operation } from "../values/thing.ts";
import {
  aTypeWord,
  groupOf,
  MISSING,
  raiseUndefined,
  textOf,
  tuple,
  typeWord,
  Undefined,
  type Value,
} from "../values/value.ts";

const folding = (caseSensitive: Value): ((value: Value) => Value) =>
  caseSensitive !== undefined && isTrue(caseSensitive) ? (value) => value : foldCase;

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
  return list(groups.map(({ name, items }) => groupOf(name, list(items))));
}

/** Filters that put items in order or together. */
export const ORDER_FILTERS = byName({
  sort: operation(["reverse?", "case_sensitive?", "attribute?"], sort),
  dictsort: operation(["case_sensitive?", "by?", "reverse?"], sortDict),
  unique: operation(["case_sensitive?", "attribute?"], (input, args, host) => new Generator(unique(input, args, host))),
  groupby: operation(["attribute", "default?", "case_sensitive?"], groupBy),
});

function* mapped(input: Value, args: Args, host: Host): Iterable<Value> {
  const apply = mapper(args, host);
  if (!isTrue(input)) return;
  for (const item of iterate(input)) {
    spend(1);
    yield apply(item);
  }
}

function mapper({ positional, named }: Args, host: Host): (item: Value) => Value {
  if (positional.length === 0) {
    for (const name of named.keys()) {
      if (name !== "attribute" && name !== "default") fail("type", `'map' has no argument '${name}'.`);
    }
    if (!named.has("attribute")) fail("type", "'map' needs the name of a filter, or attribute='…'.");
    return fieldReader(named.get("attribute"), host, named.get("default") ?? undefined);
  }
  const name = str(positional[0]);
  const filter = host.filter(name) ?? fail("type", `There is no filter named '${name}'.`);
  const args: Args = { callee: name, positional: positional.slice(1), named };
  return (item) => filter(item, args, host);
}

const picking =
  (keep: boolean, byField: boolean): Operation =>
  (input, args, host) =>
    new Generator(picked(input, args, host, keep, byField));

function* picked(input: Value, args: Args, host: Host, keep: boolean, byField: boolean): Iterable<Value> {
  if (byField && args.positional.length === 0) fail("type", `'${args.callee}' needs the name of an attribute.`);
  const read = fieldReader(byField ? args.positional[0] : undefined, host);
  const [testName, ...rest] = byField ? args.positional.slice(1) : args.positional;
  const passes = tester(testName, { ...args, positional: rest }, host);
  if (!isTrue(input)) return;
  for (const item of iterate(input)) {
    spend(1);
    if (passes(read(item)) === keep) yield item;
  }
}

function tester(testName: Value, args: Args, host: Host): (value: Value) => boolean {
  if (testName === undefined) return isTrue;
  const name = str(testName);
  const test = host.test(name) ?? fail("type", `There is no test named '${name}'.`);
  const testArgs: Args = { ...args, callee: name };
  return (value) => isTrue(test(value, testArgs, host));
}

/** Attributes only: of a mapping these are its methods, not its keys. */
function attributeOf(input: Value, name: string, host: Host): Value {
  if (input instanceof Undefined) raiseUndefined(input);
  const found = isDictionary(input) ? methodOf(input, name) : host.attribute(input, name);
  if (found !== undefined && found !== MISSING) return found;
  return new Undefined({
    path: name,
    missing: name,
    message: `There is no attribute '${name}'; for a key write x['${name}'].`,
  });
}

/** map, select, reject and their kind: one filter or test applied to every item. */
export const PICK_FILTERS = byName({
  map: (input, args, host) => new Generator(mapped(input, args, host)),
  select: picking(true, false),
  reject: picking(false, false),
  selectattr: picking(true, true),
  rejectattr: picking(false, true),
  attr: operation(["name"], (input, [name], host) => attributeOf(input, str(name), host)),
});

type FieldReader = (item: Value) => Value;

/** Without an attribute the item itself is read; `fallback` replaces what is missing on the way. */
export function fieldReader(attribute: Value, host: Host, fallback?: Value): FieldReader {
  if (attribute === undefined || attribute === null) return (item) => item;
  const parts = partsOf(attribute);
  return (item) => {
    let value = item;
    for (const part of parts) {
      const found = host.item(value, part);
      value = found === MISSING ? (fallback ?? missingField(value, part, parts)) : found;
    }
    return value;
  };
}

/** `'a,b.c'`: several fields, for sorting. */
function fieldsReader(attribute: Value, host: Host): FieldReader[] {
  const text = textOf(attribute);
  if (text === undefined) return [fieldReader(attribute, host)];
  return text.split(",").map((part) => fieldReader(part, host));
}

function partsOf(attribute: Value): readonly Value[] {
  if (attribute instanceof Undefined) return raiseUndefined(attribute);
  if (intOf(attribute) !== undefined) return [attribute];
  return str(attribute)
    .split(".")
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

function missingField(item: Value, part: Value, parts: readonly Value[]): Undefined {
  const missing = str(part);
  const names = isDictionary(item) ? keysOf(item).map(str) : methodNames(item);
  const has = isDictionary(item)
    ? `It has: ${names.slice(0, 20).join(", ") || "nothing"}.`
    : `It is ${aTypeWord(item)}.`;
  return new Undefined({
    path: parts.map(str).join("."),
    missing,
    parentType: typeWord(item),
    available: () => (isDictionary(item) ? names : []),
    message: `An item has no field '${missing}'. ${has}`,
  });
}

/** Sorting and comparing ignore case by default. */
export const foldCase = (value: Value): Value => textOf(value)?.toLowerCase() ?? value;
