// Filters over sequences: taking items, counting, joining, adding up.

import { fail } from "../error.ts";
import { spend, spendItems, spendText } from "../limits.ts";
import { charsOf } from "../values/characters.ts";
import { compare, isTrue } from "../values/compare.ts";
import { entriesOf, isDictionary, itemsOf, iterableOf, iterate, length } from "../values/dict.ts";
import { binary } from "../values/operators.ts";
import { str } from "../values/repr.ts";
import { Generator, list, Range } from "../values/sequences.ts";
import { byName, type Host, type Operation, operation, wholeNumber } from "../values/thing.ts";
import { aTypeWord, like, textOf, tuple, Undefined, type Value } from "../values/value.ts";
import { fieldReader, foldCase } from "./item-filters.ts";

const nothing = (what: string): Undefined =>
  new Undefined({ message: `There is no ${what} item: the sequence is empty.` });

function first(input: Value): Value {
  for (const item of iterate(input)) return item;
  return nothing("first");
}

/** Items from the end; a generator has no end to start from. */
function reversed(input: Value): readonly Value[] {
  if (input instanceof Generator)
    return fail("type", "A generator cannot be read from its end; put '| list' before it.");
  return [...itemsOf(input)].reverse();
}

function reverse(input: Value): Value {
  const text = textOf(input);
  if (text !== undefined) return like(input, charsOf(text).reverse().join(""));
  return new Generator([...itemsOf(input)].reverse());
}

function join(input: Value, [separator = "", attribute]: readonly Value[], host: Host): string {
  const read = fieldReader(attribute, host);
  const glue = str(separator);
  const parts: string[] = [];
  let size = 0;
  for (const item of iterate(input)) {
    const part = str(read(item));
    size += part.length + glue.length;
    spend(1);
    spendText(size >>> 5);
    parts.push(part);
  }
  spendText(size);
  return parts.join(glue);
}

function sum(input: Value, [attribute, start = 0]: readonly Value[], host: Host): Value {
  const read = fieldReader(attribute, host);
  if (textOf(start) !== undefined) fail("type", "'sum' does not add texts; use 'join'.");
  let total: Value = start;
  for (const item of iterate(input)) total = binary("+", total, read(item));
  return total;
}

function extreme(sign: 1 | -1): Operation {
  return operation(["case_sensitive?", "attribute?"], (input, [caseSensitive = false, attribute], host) => {
    const read = fieldReader(attribute, host);
    const key = (item: Value): Value => (isTrue(caseSensitive) ? read(item) : foldCase(read(item)));
    let best: { readonly item: Value; readonly key: Value } | undefined;
    for (const item of iterate(input)) {
      const candidate = { item, key: key(item) };
      if (!best || sign * compare(candidate.key, best.key) > 0) best = candidate;
    }
    return best ? best.item : nothing(sign > 0 ? "largest" : "smallest");
  });
}

function* batches(input: Value, size: number, fill: Value): Iterable<Value> {
  let batch: Value[] = [];
  for (const item of iterate(input)) {
    if (batch.length === size) {
      yield list(batch);
      batch = [];
    }
    batch.push(item);
  }
  if (batch.length === 0) return;
  if (fill !== null && size > batch.length) {
    spendItems(size);
    while (batch.length < size) batch.push(fill);
  }
  yield list(batch);
}

function* slices(input: Value, count: number, fill: Value): Iterable<Value> {
  const items = itemsOf(input);
  if (count <= 0) fail("type", "'slice' needs a number of at least 1.");
  spendItems(count);
  const size = Math.floor(items.length / count);
  const longer = items.length % count;
  let start = 0;
  for (let i = 0; i < count; i++) {
    const end = start + size + (i < longer ? 1 : 0);
    const part = items.slice(start, end);
    if (fill !== null && i >= longer) part.push(fill);
    yield list([...part]);
    start = end;
  }
}

function* pairs(input: Value): Iterable<Value> {
  if (input instanceof Undefined) return;
  if (!isDictionary(input)) return fail("type", `'items' needs a mapping, not ${aTypeWord(input)}.`);
  for (const [key, value] of entriesOf(input)) yield tuple(key, value);
}

export const LIST_FILTERS = byName({
  list: operation([], (input) => list([...limited(input)])),
  length: operation([], length),
  count: operation([], length),
  first: operation([], first),
  last: operation([], (input) => reversed(input).at(0) ?? nothing("last")),
  random: operation([], (input, _args, host) => {
    const items = itemsOf(input);
    return items.length === 0 ? nothing("random") : items[host.pick(items.length)];
  }),
  reverse: operation([], reverse),
  join: operation(["d?", "attribute?"], join),
  sum: operation(["attribute?", "start?"], sum),
  min: extreme(-1),
  max: extreme(1),
  items: operation([], (input) => new Generator(pairs(input))),
  batch: operation(
    ["linecount", "fill_with?"],
    (input, [size, fill = null]) => new Generator(batches(input, wholeNumber(size, 1), fill)),
  ),
  slice: operation(
    ["slices", "fill_with?"],
    (input, [count, fill = null]) => new Generator(slices(input, wholeNumber(count, 1), fill)),
  ),
});

function limited(input: Value): Iterable<Value> {
  if (input instanceof Range) spendItems(input.length);
  return iterableOf(input) ?? iterate(input);
}
