import { isDictionary, sizeOf } from "./dictionary.ts";
import { Float } from "./float.ts";
import { View } from "./generator.ts";
import { Markup } from "./markup.ts";
import { Range } from "./range.ts";
import { Nothing, raiseUndefined, Undefined } from "./undefined.ts";
import type { Value } from "./value.ts";

/** Python's truth: empty and zero are false. */
export function isTrue(value: Value): boolean {
  if (typeof value !== "object" || value === null) return Boolean(value) || Number.isNaN(value);
  if (Array.isArray(value)) return value.length > 0;
  if (isDictionary(value)) return sizeOf(value) > 0;
  if (value instanceof Undefined) return value instanceof Nothing ? false : raiseUndefined(value);
  if (value instanceof Float) return value.value !== 0;
  if (value instanceof Markup) return value.text !== "";
  if (value instanceof Range) return value.length > 0;
  if (value instanceof View) return value.items().length > 0;
  return true;
}
