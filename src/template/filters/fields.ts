// `attribute='a.b.0'`, as many filters take it: a path into each item.

import { methodNames } from "../methods/methods.ts";
import { MISSING } from "../scope.ts";
import { isDictionary, keysOf } from "../values/dict.ts";
import { textOf } from "../values/markup.ts";
import { intOf } from "../values/numbers.ts";
import { str } from "../values/repr.ts";
import type { Host } from "../values/thing.ts";
import { raiseUndefined, Undefined } from "../values/undefined.ts";
import { aTypeWord, typeWord, type Value } from "../values/value.ts";

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
export function fieldsReader(attribute: Value, host: Host): FieldReader[] {
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
export function foldCase(value: Value): Value {
  return textOf(value)?.toLowerCase() ?? value;
}
