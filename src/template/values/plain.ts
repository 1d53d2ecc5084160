// The way out: whatever a template computed, as plain JSON for the rest of the program.

import { fail } from "../error.ts";
import { spend } from "../limits.ts";
import { MISSING, present } from "../scope.ts";
import { Dict } from "./dict.ts";
import { Float } from "./float.ts";
import { Markup, textOf } from "./markup.ts";
import { repr } from "./repr.ts";
import { Generator, isOwnList, Range, View } from "./sequences.ts";
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
  const seen = new Set<object>();
  for (let i = 0; i < items.length; i++) {
    if (!handedIn) spendRepetition(items[i], seen);
    const plain = toPlain(items[i]);
    if (plain === items[i]) continue;
    copy ??= items.slice();
    copy[i] = plain;
  }
  return copy ?? items;
}

/**
 * `['x' * 100000] * 100000` is one text and a short list in memory, and gigabytes as soon as it is written. What a template
 * repeats is paid for as often as it stands there; what it was given, once, is not.
 */
function spendRepetition(value: Value, seen: Set<object>): void {
  if (typeof value === "string") spend(value.length >>> 5);
  if (typeof value !== "object" || value === null || value instanceof Internal) return;
  if (seen.has(value)) spendWhole(value);
  seen.add(value);
}

function spendWhole(root: object): void {
  const open: object[] = [root];
  for (let value = open.pop(); value; value = open.pop())
    for (const [key, inner] of Object.entries(value)) {
      spend(1 + ((key.length + (typeof inner === "string" ? inner.length : 0)) >>> 5));
      if (typeof inner === "object" && inner !== null) open.push(inner);
    }
}

/** A key as JSON writes it. */
export function keyText(key: Value): string {
  if (typeof key === "boolean" || key === null) return String(key);
  return textOf(key) ?? repr(key);
}
