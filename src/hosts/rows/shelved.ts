// Large texts of a value that are read back from where they are kept whenever they are looked at, instead of being held.
import { copyEntry, type Late, latesOf, setLate } from "../../json/late.ts";
import { BIG } from "./spill.ts";

/** Outputs of scripts have their texts one level below: deeper ones are held. */
const DEEPEST = 3;
/** Entries of one object that are looked at: what has more is made of short ones. */
const MOST_ENTRIES = 1_000;

const isPlain = (value: unknown): value is Record<string, unknown> | unknown[] => {
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
};

/** Characters of all long texts in it that are in memory. Asked after every step. */
export function lengthOfLongTexts(holder: object, level = 0): number {
  const lates = latesOf(holder);
  let [length, looked] = [0, 0];
  for (const key in holder) {
    if (looked++ >= MOST_ENTRIES) break;
    const value = lates?.has(key) ? undefined : (holder as Record<string, unknown>)[key];
    if (typeof value === "string") length += value.length > BIG ? value.length : 0;
    else if (level < DEEPEST && isPlain(value)) length += lengthOfLongTexts(value, level + 1);
  }
  return length;
}

/** A copy in which long texts are late, as `late` makes them; itself where there are none. */
export function withLates<Holder extends object>(holder: Holder, late: (text: string) => Late, level = 0): Holder {
  const lates = latesOf(holder);
  let copy: Holder | undefined;
  for (const key of Object.keys(holder).slice(0, MOST_ENTRIES)) {
    const value = lates?.has(key) ? undefined : (holder as Record<string, unknown>)[key];
    if (typeof value === "string" && value.length > BIG) {
      copy ??= copied(holder);
      setLate(copy, key, late(value));
    } else if (level < DEEPEST && isPlain(value)) {
      const inner = withLates(value, late, level + 1);
      if (inner === value) continue;
      copy ??= copied(holder);
      (copy as Record<string, unknown>)[key] = inner;
    }
  }
  return copy ?? holder;
}

/** With what is late in it as it is. */
function copied<Holder extends object>(holder: Holder): Holder {
  const copy = (Array.isArray(holder) ? [] : {}) as Holder;
  for (const key of Object.keys(holder)) copyEntry(holder, key, copy, key);
  return copy;
}
