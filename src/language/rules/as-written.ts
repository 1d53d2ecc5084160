// What a file says at a place, before defaults and readings: for rules about how something is written.
import type { NodePath } from "../loaded.ts";

/** The value at a path; undefined where nothing is written. */
export function writtenAt(raw: unknown, path: NodePath): unknown {
  let here = raw;
  for (const key of path) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Readonly<Record<string | number, unknown>>)[key];
  }
  return here;
}
