// One view on mappings, whether handed in as plain objects or made by the template.
import { MISSING, present } from "../scope.ts";
import { Dict, hashKey } from "./dict.ts";
import { textOf } from "./markup.ts";
import { Internal, type Value } from "./value.ts";

type PlainObject = Readonly<Record<string, unknown>>;
export type Dictionary = Dict | PlainObject;

export function isDictionary(value: Value): value is Dictionary {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return value instanceof Dict || !(value instanceof Internal);
}

/** The value of a key, own properties only, or MISSING. */
export function entryOf(mapping: Dictionary, key: Value): Value {
  if (mapping instanceof Dict) {
    const value = mapping.get(key);
    return value === undefined ? MISSING : value;
  }
  const name = textOf(key);
  if (name !== undefined) return Object.hasOwn(mapping, name) ? present(mapping[name]) : MISSING;
  // No key of a plain object, but asking for a list or an undefined must raise as it does in Python.
  hashKey(key);
  return MISSING;
}

export function keysOf(mapping: Dictionary): Value[] {
  if (mapping instanceof Dict) return mapping.keys();
  const keys = Object.keys(mapping);
  for (const key of keys) {
    if (present(mapping[key]) === MISSING) return keys.filter((name) => present(mapping[name]) !== MISSING);
  }
  return keys;
}

export function entriesOf(mapping: Dictionary): (readonly [Value, Value])[] {
  if (mapping instanceof Dict) return [...mapping];
  return keysOf(mapping).map((key) => [key, mapping[key as string]] as const);
}

export function sizeOf(mapping: Dictionary): number {
  return mapping instanceof Dict ? mapping.size : keysOf(mapping).length;
}
