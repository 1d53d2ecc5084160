// A copy of data that is JSON already, without writing and reading it as text.

/** Not data of which JSON makes the same, or too deep to tell: then JSON itself is asked. */
export const NOT_PLAIN: unique symbol = Symbol("not plain");

const DEEPEST = 20;

export function plainCopy(value: unknown, depth = 0): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  // JSON knows no -0, and makes null of what is not finite.
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0) ? value : NOT_PLAIN;
  if (typeof value !== "object" || depth > DEEPEST) return NOT_PLAIN;
  return Array.isArray(value) ? listCopy(value, depth) : objectCopy(value as Record<string, unknown>, depth);
}

function listCopy(list: readonly unknown[], depth: number): unknown {
  const copies: unknown[] = [];
  for (const item of list) {
    const copy = plainCopy(item, depth + 1);
    if (copy === NOT_PLAIN) return NOT_PLAIN;
    copies.push(copy);
  }
  return "toJSON" in list ? NOT_PLAIN : copies;
}

function objectCopy(object: Record<string, unknown>, depth: number): unknown {
  if (Object.getPrototypeOf(object) !== Object.prototype || "toJSON" in object) return NOT_PLAIN;
  const copies: Record<string, unknown> = {};
  for (const key of Object.keys(object)) {
    const copy = key === "__proto__" ? NOT_PLAIN : plainCopy(object[key], depth + 1);
    if (copy === NOT_PLAIN) return NOT_PLAIN;
    copies[key] = copy;
  }
  return copies;
}
