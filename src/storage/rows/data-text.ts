// The data of an event as JSON. What a large group gives is a second time in memory as one text, and can be longer than any
// text can be (512 MB): then there is none, and the caller writes it part by part.
import { constants } from "node:buffer";
import type { RunEvent } from "../../base/events/registry.ts";
import { latesOf } from "../../base/json/late.ts";

/** Nothing when it would be too long, or is long and best written part by part. */
export type DataText = string | undefined;

/** Characters of the texts in an output from which it has no text of its own. */
const LONG = 4 * 1024 * 1024;
/** Values in it that are looked at: of what has many short ones, the text is made at once. */
const MOST_LOOKED_AT = 10_000;

export function textOfData(data: object): DataText {
  if ("output" in data && isObject(data.output) && isLong(data.output)) return undefined;
  try {
    return JSON.stringify(data);
  } catch (problem) {
    if (problem instanceof RangeError) return undefined;
    throw problem;
  }
}

export const textsOfData = (events: readonly RunEvent[]): readonly DataText[] =>
  events.map(({ data }) => textOfData(data));

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

function isLong(value: object): boolean {
  let [length, looked] = [0, 0];
  const open: unknown[] = [value];
  while (open.length > 0 && length <= LONG && looked++ < MOST_LOOKED_AT) {
    const next = open.pop();
    if (typeof next === "string") length += next.length;
    else if (isObject(next)) length += openEntries(next, open);
  }
  return length > LONG;
}

/** Adds the entries that are in memory; gives how long the texts are together that are not. */
function openEntries(value: object, open: unknown[]): number {
  const lates = latesOf(value);
  if (!lates) {
    for (const inner of Object.values(value)) open.push(inner);
    return 0;
  }
  let length = 0;
  for (const key of Object.keys(value)) {
    const late = lates.get(key);
    if (late) length += late.length;
    else open.push((value as Record<string, unknown>)[key]);
  }
  return length;
}

/** About what a name, a number or a mark takes at most. */
const EACH = 32;
/** JSON writes a control character as six. */
const LONGEST_ESCAPE = 6;

/** Whether data that has no text is too long to have one. */
export const isTooLong = (data: object): boolean =>
  lengthOf(data, (text) => text.length * LONGEST_ESCAPE) > constants.MAX_STRING_LENGTH &&
  lengthOf(data, (text) => JSON.stringify(text).length) > constants.MAX_STRING_LENGTH;

function lengthOf(data: object, lengthOfText: (text: string) => number): number {
  let length = 0;
  const open: unknown[] = [data];
  while (open.length > 0 && length <= constants.MAX_STRING_LENGTH) {
    const next = open.pop();
    length += EACH;
    if (typeof next === "string") length += lengthOfText(next);
    else if (isObject(next)) {
      for (const name of Object.keys(next)) length += name.length;
      length += openEntries(next, open);
    }
  }
  return length;
}
