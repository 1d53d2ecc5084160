// The first question about every value that comes from outside: are there fields to read?

export type Mapping = Readonly<Record<string, unknown>>;

/** JSON Schema (draft 2020-12) as plain data. */
export type JsonSchema = Mapping;

export const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What a map has for a key; where it has nothing, what is made now and kept there. */
export function keptIn<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** What the work gives; what stands for it when it throws, whatever it throws. */
export function unlessItThrows<Value, Otherwise>(work: () => Value, otherwise: Otherwise): Value | Otherwise {
  try {
    return work();
  } catch {
    return otherwise;
  }
}
