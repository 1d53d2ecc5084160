// A mapping made by a template. Python's keys are any plain values, where 1, 1.0 and
// True are the same key; a Map over normalized keys keeps that, the order, and keeps
// names like __proto__ harmless.
import { fail } from "../error.ts";
import { spend, spendText } from "../limits.ts";
import { MISSING, present } from "../scope.ts";
import { Float } from "./float.ts";
import { Markup, textOf } from "./markup.ts";
import { Range } from "./sequences.ts";
import { raiseUndefined, Undefined } from "./undefined.ts";
import { aTypeWord, Internal, type Kind, Tuple, type Value } from "./value.ts";

type Key = string | number | bigint | null;

export class Dict extends Internal {
  readonly kind: Kind = "dict";
  private readonly entriesByKey = new Map<Key, { readonly key: Value; value: Value }>();

  get size(): number {
    return this.entriesByKey.size;
  }

  has(key: Value): boolean {
    return this.entriesByKey.has(hashKey(key));
  }

  /** The value, or undefined where there is none: no value of a template is `undefined`. */
  get(key: Value): Value {
    return this.entriesByKey.get(hashKey(key))?.value;
  }

  set(key: Value, value: Value): this {
    const hash = hashKey(key);
    const entry = this.entriesByKey.get(hash);
    if (entry) entry.value = value;
    else this.entriesByKey.set(hash, { key, value });
    return this;
  }

  delete(key: Value): void {
    this.entriesByKey.delete(hashKey(key));
  }

  clear(): void {
    this.entriesByKey.clear();
  }

  keys(): Value[] {
    return Array.from(this.entriesByKey.values(), (entry) => entry.key);
  }

  *[Symbol.iterator](): IterableIterator<readonly [Value, Value]> {
    for (const { key, value } of this.entriesByKey.values()) yield [key, value];
  }
}

/** What a value is the same as, as a key and for `unique`: equal values have equal hashes. */
export function hashKey(value: Value): Key {
  switch (typeof value) {
    case "string":
      // Numbers and tuples become texts that start with \0; a text that does so too moves aside.
      return value.startsWith("\0") ? `\0\0${value}` : value;
    case "number":
      return numberKey(value);
    case "bigint":
      return value;
    case "boolean":
      return value ? 1 : 0;
    case "object":
      if (value === null) return null;
      if (value instanceof Float) return numberKey(value.value);
      if (value instanceof Markup) return hashKey(value.text);
      if (value instanceof Undefined) return raiseUndefined(value);
      if (value instanceof Tuple) return tupleKey(value);
      if (value instanceof Range) return `\0${value.text}`;
      break;
    default:
      return null;
  }
  return fail("type", `${aTypeWord(value)} cannot be a key of a mapping.`);
}

/** Large whole numbers are bigints everywhere, so that a float and an integer meet. */
function numberKey(n: number): number | bigint {
  if (Number.isInteger(n) && !Number.isSafeInteger(n)) return BigInt(n);
  return n === 0 ? 0 : n;
}

function tupleKey(items: Tuple): string {
  const parts = items.map((item) => hashText(hashKey(item)));
  let length = 3;
  for (const part of parts) length += part.length + 1;
  spend(parts.length);
  spendText(length * 2);
  return `\0(${parts.join(",")})`;
}

function hashText(key: Key): string {
  return typeof key === "string" ? JSON.stringify(key) : `${typeof key}:${key}`;
}

// One view on mappings, whether handed in as plain objects or made by the template.

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
