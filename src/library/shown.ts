// What code of the library's user gave, in words: "gave {shown}, but must give …".
import { unlessItThrows } from "../errors/mapping.ts";

const MOST_SHOWN = 60;

export function shown(value: unknown): string {
  if (value instanceof Error) return `an exception (${value.name}: ${cut(value.message)})`;
  if (Array.isArray(value)) return listShown(value);
  switch (typeof value) {
    case "string":
      return `the text ${JSON.stringify(cut(value))}`;
    case "number":
      return `the number ${value}`;
    case "bigint":
      return `the BigInt ${cut(String(value))}n`;
    case "object":
      return value === null ? "null" : `an object with ${keysOf(value)}`;
    case "function":
      return "a function";
    default:
      return String(value);
  }
}

/** Of a list its first entry: that a list was wanted is seldom what is wrong. */
const listShown = ([first, ...rest]: readonly unknown[]): string => {
  if (first === undefined && rest.length === 0) return "an empty list";
  const entry = Array.isArray(first) ? "a list" : shown(first);
  return `a list of ${entry}${rest.length > 0 ? " and others" : ""}`;
};

/** What was thrown, which may be anything. */
export const thrown = (problem: unknown): string => (problem instanceof Error ? problem.message : shown(problem));

const keysOf = (value: object): string => {
  // A proxy may refuse to be read.
  const keys = unlessItThrows(() => Object.keys(value), undefined);
  if (!keys) return "fields that cannot be read";
  if (keys.length === 0) return "no fields";
  return `${keys.slice(0, 5).join(", ")}${keys.length > 5 ? " …" : ""}`;
};

const cut = (text: string): string => (text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);
