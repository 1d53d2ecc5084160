// The way out: whatever a template computed, as plain JSON for the rest of the program.

import { fail } from "../error.ts";
import { spend } from "../limits.ts";
import { MISSING, present } from "../scope.ts";
import { Dict } from "./dict.ts";
import { Float } from "./float.ts";
import { Generator, View } from "./generator.ts";
import { isOwnList } from "./lists.ts";
import { Markup, textOf } from "./markup.ts";
import { Range } from "./range.ts";
import { repr } from "./repr.ts";
import { Nothing, raiseUndefined, Undefined } from "./undefined.ts";
import { aTypeWord, Internal, type Value } from "./value.ts";

/**
 * Handed-in objects leave as they came: nothing of the engine can be inside them.
 * Numbers that JSON cannot hold leave as text, as `coerce` leaves them.
 */
export function toPlain(value: Value): unknown {
  spend(1);
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : repr(value);
  if (Array.isArray(value)) return plainItems(value);
  if (!(value instanceof Internal)) return present(value) === MISSING ? null : value;
  if (value instanceof Float) return Object.is(value.value, -0) ? 0 : value.value;
  if (value instanceof Markup) return value.text;
  if (value instanceof Dict) {
    return Object.fromEntries(Array.from(value, ([key, item]) => [keyText(key), toPlain(item)]));
  }
  if (value instanceof Range || value instanceof Generator) return plainItems([...value]);
  if (value instanceof View) return plainItems(value.items());
  if (value instanceof Undefined) return value instanceof Nothing ? "" : raiseUndefined(value);
  return fail("type", `The result is ${aTypeWord(value)}, which is no data.`);
}

function plainItems(items: readonly Value[]): readonly unknown[] {
  const handedIn = Object.getPrototypeOf(items) === Array.prototype && !isOwnList(items);
  let copy: unknown[] | undefined = handedIn ? undefined : [...items];
  for (let i = 0; i < items.length; i++) {
    const plain = toPlain(items[i]);
    if (plain === items[i]) continue;
    copy ??= items.slice();
    copy[i] = plain;
  }
  return copy ?? items;
}

/** A key as JSON writes it. */
export function keyText(key: Value): string {
  if (typeof key === "boolean" || key === null) return String(key);
  return textOf(key) ?? repr(key);
}
