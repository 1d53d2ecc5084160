// A mapping made by a template, and how mappings and sequences are walked. Python's keys are any plain values, of which
// 1, 1.0 and True are the same; a Map over normalized keys keeps that, the order, and names like __proto__ harmless.
import { fail } from "../error.ts";
import { spend, spendItems, spendText } from "../limits.ts";
import { charsOf, lengthOf } from "./characters.ts";
import { Float } from "./float.ts";
import { Generator, Range, View } from "./sequences.ts";
import { Method } from "./thing.ts";
import {
  aTypeWord,
  Internal,
  type Kind,
  Markup,
  MISSING,
  Nothing,
  present,
  raiseUndefined,
  Tuple,
  textOf,
  typeWord,
  Undefined,
  type Value,
} from "./value.ts";

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

const hashText = (key: Key): string => (typeof key === "string" ? JSON.stringify(key) : `${typeof key}:${key}`);

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

export const sizeOf = (mapping: Dictionary): number =>
  mapping instanceof Dict ? mapping.size : keysOf(mapping).length;

/** What a `for` walks over, or undefined for what cannot be walked. */
export function iterableOf(value: Value): Iterable<Value> | undefined {
  if (Array.isArray(value)) return value;
  const text = textOf(value);
  if (text !== undefined) {
    spendItems(text.length);
    return charsOf(text);
  }
  if (isDictionary(value)) return keysOf(value);
  if (value instanceof View) return value.items();
  if (value instanceof Range || value instanceof Generator) return value;
  if (value instanceof Nothing) return [];
  return value instanceof Undefined ? raiseUndefined(value) : undefined;
}

export function iterate(value: Value): Iterable<Value> {
  if (value instanceof Method) return raiseMethod(value);
  return iterableOf(value) ?? fail("type", `${aTypeWord(value)} cannot be walked through; a list or mapping can.`);
}

/** All items as an array: the value itself if it is one. */
export function itemsOf(value: Value): readonly Value[] {
  const items = iterate(value);
  return Array.isArray(items) ? items : Array.from(items);
}

/** Python's len(), or undefined for what has none. */
function countItems(value: Value): number | undefined {
  if (Array.isArray(value)) return value.length;
  const text = textOf(value);
  if (text !== undefined) return lengthOf(text);
  if (isDictionary(value)) return sizeOf(value);
  if (value instanceof View) return value.items().length;
  if (value instanceof Range) return value.length;
  if (value instanceof Nothing) return 0;
  return value instanceof Undefined ? raiseUndefined(value) : undefined;
}

export function length(value: Value): number {
  const count = countItems(value);
  if (count !== undefined) return count;
  if (value instanceof Method) return raiseMethod(value);
  const hint = value instanceof Generator ? "; put '| list' before it" : "";
  return fail("type", `${aTypeWord(value)} has no length${hint}.`);
}

/**
 * `{{ input.items }}` where there is no key `items` finds the method of that name. A method is never what was meant:
 * the key is missing, and that is what the error says.
 */
export function raiseMethod({ name, owner }: Method): never {
  const available = isDictionary(owner) ? keysOf(owner).map(String) : [];
  const what = isDictionary(owner) ? `There is no key '${name}'; the method of that name` : `The method '${name}'`;
  return raiseUndefined(
    new Undefined({
      missing: name,
      parentType: typeWord(owner),
      available: () => available,
      message: `${what} must be called: ${name}().`,
    }),
  );
}
