// `a.b` and `a[b]`. Data is looked at first, then the closed list of methods; keys win
// over methods, and nothing that JavaScript inherits can be reached.

import { methodOf } from "../methods/methods.ts";
import { MISSING } from "../scope.ts";
import { charsOf, hasPairs } from "../values/characters.ts";
import { entryOf, isDictionary } from "../values/dict.ts";
import { like, textOf } from "../values/markup.ts";
import { indexOf } from "../values/numbers.ts";
import { Range } from "../values/sequences.ts";
import { Callable, Thing } from "../values/thing.ts";
import { raiseUndefined, Undefined } from "../values/undefined.ts";
import { Group, Internal, type Value } from "../values/value.ts";

/** The attribute of a value, or MISSING. */
export function attribute(value: Value, name: string): Value {
  if (isDictionary(value)) {
    const entry = entryOf(value, name);
    if (entry !== MISSING) return entry;
  } else if (value instanceof Internal) {
    if (value instanceof Undefined) return raiseUndefined(value);
    if (value instanceof Thing) return value.attribute(name) ?? MISSING;
    if (value instanceof Callable) return value.attributes.get(name) ?? MISSING;
  }
  if (value instanceof Group) {
    if (name === "grouper") return value[0];
    if (name === "list") return value[1];
  }
  return methodOf(value, name) ?? MISSING;
}

/** The item of a value, or MISSING. A text that is no key may still name an attribute, as in Jinja2. */
export function item(value: Value, key: Value): Value {
  if (value instanceof Undefined) return raiseUndefined(value);
  if (key instanceof Undefined) return raiseUndefined(key);
  const name = textOf(key);
  if (name !== undefined) return attribute(value, name);
  if (isDictionary(value)) return entryOf(value, key);
  const index = indexOf(key);
  if (index === undefined) return MISSING;
  if (Array.isArray(value)) return value.at(index) ?? (hasIndex(value.length, index) ? null : MISSING);
  if (value instanceof Range) {
    return hasIndex(value.length, index) ? value.at(index < 0 ? index + value.length : index) : MISSING;
  }
  const text = textOf(value);
  if (text === undefined) return MISSING;
  const char = hasPairs(text) ? charsOf(text).at(index) : text.at(index);
  return char === undefined ? MISSING : like(value, char);
}

function hasIndex(length: number, index: number): boolean {
  return index < length && index >= -length;
}
