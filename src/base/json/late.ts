// Entries of objects and lists that are not held in memory: each is read from where it is kept whenever it is looked at. To
// all others such an entry is like any other; who copies, weighs or writes entries without needing them asks here first.

export interface Late {
  /** Characters of the text that it is. */
  readonly length: number;
  /** Its name where it is kept. */
  readonly name: string;
  /** Who keeps it: to others the name means nothing. */
  readonly keeper: unknown;
  read(): unknown;
}

const lates = new WeakMap<object, Map<string, Late>>();

/** The entries of an object that are not in memory, by their keys; nothing for nearly all objects. */
export const latesOf = (holder: object): ReadonlyMap<string, Late> | undefined => lates.get(holder);

export function setLate(holder: object, key: string, late: Late): void {
  const known = lates.get(holder) ?? new Map<string, Late>();
  lates.set(holder, known.set(key, late));
  Object.defineProperty(holder, key, {
    enumerable: true,
    configurable: true,
    get: late.read,
    set: (value: unknown) => setInMemory(holder, key, value),
  });
}

function setInMemory(holder: object, key: string, value: unknown): void {
  lates.get(holder)?.delete(key);
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

/** `to[key] = from[entry]`, without reading what is not in memory. */
export function copyEntry(from: object, entry: string, to: object, key: string | number): void {
  const late = lates.get(from)?.get(entry);
  if (late) setLate(to, String(key), late);
  else setInMemory(to, String(key), (from as Record<string, unknown>)[entry]);
}

/** A copy with each entry that is not in memory as `change` makes it, one after the other; itself where there is none. */
export function mapLates(value: unknown, change: (read: unknown) => unknown, level = 0): unknown {
  if (typeof value !== "object" || value === null || level > DEEPEST) return value;
  const known = lates.get(value);
  const changes = new Map<string, unknown>();
  for (const key of known ? Object.keys(value) : keysOfObjects(value)) {
    const late = known?.get(key);
    const before = late ? undefined : (value as Record<string, unknown>)[key];
    const after = late ? change(late.read()) : mapLates(before, change, level + 1);
    if (late || after !== before) changes.set(key, after);
  }
  if (changes.size === 0) return value;
  const copy = Array.isArray(value) ? [] : {};
  for (const key of Object.keys(value))
    if (changes.has(key)) setInMemory(copy, key, changes.get(key));
    else copyEntry(value, key, copy, key);
  return copy;
}

/** How deep inside a group's output the texts of its members are, and some more. */
const DEEPEST = 8;

const keysOfObjects = (value: object): string[] =>
  Object.keys(value).filter((key) => typeof (value as Record<string, unknown>)[key] === "object");

/** Reads all that is not in memory, in place: nothing in the value depends on where it was kept any more. */
export function readLates(value: unknown, seen = new Set<object>()): void {
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  for (const [key, late] of [...(lates.get(value) ?? [])]) setInMemory(value, key, late.read());
  for (const inner of Object.values(value)) readLates(inner, seen);
}
