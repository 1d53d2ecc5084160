// The closed list of methods a template may call on data, with those of numbers, lists and mappings.

import { fail } from "../error.ts";
import { spend, spendItems } from "../limits.ts";
import { STRING_CHECKS } from "../values/characters.ts";
import { isEqual, isTrue, sorted } from "../values/compare.ts";
import { Dict, type Dictionary, entriesOf, entryOf, isDictionary, itemsOf, keysOf, sizeOf } from "../values/dict.ts";
import { intOf, numberOf } from "../values/numbers.ts";
import { isOwnList, list, View } from "../values/sequences.ts";
import { type Args, byName, type Host, Method, type Operation, operation, wholeNumber } from "../values/thing.ts";
import { escapeHtml, kindOf, Markup, MISSING, Tuple, textOf, tuple, tupleOf, type Value } from "../values/value.ts";
import { STRING_METHODS } from "./string-methods.ts";

type Methods = ReadonlyMap<string, Operation>;

export function methodOf(value: Value, name: string): Method | undefined {
  const method = methodsOf(value)?.get(name);
  if (!method) return undefined;
  if (value instanceof Markup)
    return new Method(name, value, (args, host) => onMarkup(value, name, method, args, host));
  return new Method(name, value, (args, host) => method(value, args, host));
}

export const methodNames = (value: Value): readonly string[] => [...(methodsOf(value)?.keys() ?? [])];

function methodsOf(value: Value): Methods | undefined {
  if (textOf(value) !== undefined) return STRINGS;
  if (Array.isArray(value)) return value instanceof Tuple ? SEQUENCE_METHODS : LISTS;
  if (isDictionary(value)) return DICT_METHODS;
  const kind = kindOf(value);
  if (kind === "float") return FLOAT_METHODS;
  return kind === "int" || kind === "boolean" ? INT_METHODS : undefined;
}

/** From which argument on what goes into safe text is escaped. */
const ESCAPED_FROM: ReadonlyMap<string, number> = new Map([
  ["replace", 1],
  ["join", 0],
  ["format", 0],
]);

/** Safe text stays safe: what goes in is escaped, what comes out is marked. */
function onMarkup(value: Markup, name: string, method: Operation, args: Args, host: Host): Value {
  const from = ESCAPED_FROM.get(name) ?? Number.POSITIVE_INFINITY;
  const escaped = (item: Value): Value => {
    if (typeof item === "string") return escapeHtml(item);
    return Array.isArray(item) ? item.map(escaped) : item;
  };
  const positional = args.positional.map((item, i) => (i < from ? item : escaped(item)));
  const named = new Map(Array.from(args.named, ([key, item]) => [key, name === "format" ? escaped(item) : item]));
  const result = method(value.text, { ...args, positional, named }, host);
  if (typeof result === "string") return new Markup(result);
  if (!Array.isArray(result)) return result;
  const parts = result.map((part: Value) => (typeof part === "string" ? new Markup(part) : part));
  return result instanceof Tuple ? tupleOf(parts) : list(parts);
}

const STRINGS: Methods = new Map([...STRING_METHODS, ...STRING_CHECKS]);

const FLOAT_METHODS = byName({ is_integer: operation([], (input) => Number.isInteger(numberOf(input))) });

const INT_METHODS = byName({
  bit_length: operation([], (input) => {
    const n = BigInt(intOf(input) ?? 0);
    return n === 0n ? 0 : (n < 0n ? -n : n).toString(2).length;
  }),
});

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

const SEQUENCE_METHODS = byName({
  count: operation(["value"], (input, [value]) => (input as Value[]).filter((item) => isEqual(item, value)).length),
  index: operation(["value", "start?", "end?"], (input, [value, start, end]) => {
    const items = input as Value[];
    const at = items.findIndex(
      (item, i) => i >= wholeNumber(start, 0) && i < wholeNumber(end, items.length) && isEqual(item, value),
    );
    return at >= 0 ? at : fail("type", "The list does not contain what 'index' looks for.");
  }),
});

const LIST_METHODS = byName({
  copy: operation([], (input) => list([...(input as Value[])])),
  append: changingList(["value"], (items, [value]) => {
    spendItems(items.length >>> 6);
    items.push(value);
  }),
  extend: changingList(["values"], (items, [values]) => {
    const more = itemsOf(values);
    spendItems(items.length + more.length);
    for (const item of [...more]) items.push(item);
  }),
  insert: changingList(
    ["index", "value"],
    (items, [index, value]) => void items.splice(wholeNumber(index, 0), 0, value),
  ),
  pop: changingList(["index?"], (items, [index]) => {
    const given = wholeNumber(index, -1);
    const at = given < 0 ? given + items.length : given;
    if (at < 0 || at >= items.length) fail("type", "There is nothing to pop at this place.");
    return items.splice(at, 1)[0];
  }),
  remove: changingList(["value"], (items, [value]) => {
    const at = items.findIndex((item) => isEqual(item, value));
    if (at < 0) fail("type", "The list does not contain what 'remove' looks for.");
    items.splice(at, 1);
  }),
  clear: changingList([], (items) => void items.splice(0)),
  reverse: changingList([], (items) => void items.reverse()),
  sort: changingList(["reverse?"], (items, [reverse]) => {
    const ordered = sorted(items, (item) => item, reverse !== undefined && isTrue(reverse));
    for (let i = 0; i < ordered.length; i++) items[i] = ordered[i];
  }),
});

const LISTS: Methods = new Map([...SEQUENCE_METHODS, ...LIST_METHODS]);

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

const changingDict = (parameters: readonly string[], run: (dict: Dict, args: readonly Value[]) => Value): Operation =>
  operation(parameters, (input, args) => run(own(input), args) ?? null);

function own(input: Value): Dict {
  if (input instanceof Dict) return input;
  return fail("type", "This mapping was handed in and cannot be changed; 'dict(x)' makes a copy that can.");
}

const view = (what: "keys" | "values" | "items", items: (mapping: Dictionary) => Value[]): Operation =>
  operation([], (input) => new View(what, () => items(input as Dictionary)));

const DICT_METHODS = byName({
  keys: view("keys", keysOf),
  values: view("values", (mapping) => entriesOf(mapping).map(([, value]) => value)),
  items: view("items", (mapping) => entriesOf(mapping).map(([key, value]) => tuple(key, value))),
  get: operation(["key", "default?"], (input, [key, fallback = null]) => {
    const value = entryOf(input as Dictionary, key);
    return value === MISSING ? fallback : value;
  }),
  copy: operation([], (input) => fill(new Dict(), input, new Map())),
  setdefault: changingDict(["key", "default?"], (dict, [key, fallback = null]) => {
    if (!dict.has(key)) dict.set(key, fallback);
    return dict.get(key);
  }),
  pop: changingDict(["key", "default?"], (dict, [key, fallback]) => {
    if (!dict.has(key) && fallback === undefined) fail("type", "There is no such key to pop.");
    const value = dict.has(key) ? dict.get(key) : fallback;
    dict.delete(key);
    return value;
  }),
  popitem: changingDict([], (dict) => {
    const last = dict.keys().at(-1);
    if (last === undefined) fail("type", "The mapping is empty: there is nothing to pop.");
    const pair = tuple(last, dict.get(last));
    dict.delete(last);
    return pair;
  }),
  clear: changingDict([], (dict) => void dict.clear()),
  update: (input, args) => {
    fill(own(input), args.positional[0], args.named);
    return null;
  },
});
