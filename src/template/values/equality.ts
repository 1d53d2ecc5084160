import { spend } from "../limits.ts";
import { MISSING } from "../scope.ts";
import { hashKey } from "./dict.ts";
import { type Dictionary, entriesOf, entryOf, isDictionary, sizeOf } from "./dictionary.ts";
import { View } from "./generator.ts";
import { textOf } from "./markup.ts";
import { intOf, numberOf } from "./numbers.ts";
import { Range } from "./range.ts";
import { Nothing, raiseUndefined, Undefined } from "./undefined.ts";
import { Tuple, type Value } from "./value.ts";

/** Python's `==`: by content; 1 == 1.0 == True; a list is never a tuple. */
export function isEqual(a: Value, b: Value): boolean {
  spend(1);
  if (a instanceof Undefined && !(a instanceof Nothing)) raiseUndefined(a);
  if (b instanceof Undefined && !(b instanceof Nothing)) raiseUndefined(b);
  if (a instanceof Nothing || b instanceof Nothing) return a instanceof Nothing && b instanceof Nothing;
  if (typeof a === "string" && typeof b === "string") return a === b;
  const text = textOf(a);
  if (text !== undefined) return text === textOf(b);
  if (numberOf(a) !== undefined) return sameNumber(a, b);
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && sameItems(a, b);
  if (isDictionary(a)) return isDictionary(b) && sameEntries(a, b);
  if (a instanceof Range) return b instanceof Range && a.text === b.text;
  if (a instanceof View && a.what !== "values") return b instanceof View && sameMembers(a.items(), b.items());
  return false;
}

function sameNumber(a: Value, b: Value): boolean {
  const x = intOf(a);
  const y = intOf(b);
  if (x !== undefined && y !== undefined) return x === y;
  // A bigint and a number compare exactly, which rounding one to the other would not.
  const p = x ?? numberOf(a);
  const q = y ?? numberOf(b);
  return p !== undefined && q !== undefined && p <= q && p >= q;
}

function sameItems(a: readonly Value[], b: readonly Value[]): boolean {
  if (a.length !== b.length || a instanceof Tuple !== b instanceof Tuple) return false;
  return a.every((item, i) => isEqual(item, b[i]));
}

function sameEntries(a: Dictionary, b: Dictionary): boolean {
  if (sizeOf(a) !== sizeOf(b)) return false;
  return entriesOf(a).every(([key, value]) => {
    const other = entryOf(b, key);
    return other !== MISSING && isEqual(value, other);
  });
}

function sameMembers(a: readonly Value[], b: readonly Value[]): boolean {
  if (a.length !== b.length) return false;
  const hashes = new Set(a.map(hashKey));
  return b.every((item) => hashes.has(hashKey(item)));
}
