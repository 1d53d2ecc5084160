// What messages say of a call: what the user wrote, and what was given. Also what a client adds to the options of a call,
// under symbols, so that no user gives it.
import { unlessItThrows } from "../../base/errors/mapping.ts";

const MOST_SHOWN = 60;

/** A proxy may refuse to be read. */
export const shown = (value: unknown): string =>
  unlessItThrows(() => shownReadable(value), "an object that cannot be read");

function shownReadable(value: unknown): string {
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

export const thrown = (problem: unknown): string =>
  problem instanceof Error ? String(problem.message) : shown(problem);

const keysOf = (value: object): string => {
  // A proxy may refuse to be read.
  const keys = unlessItThrows(() => Object.keys(value), undefined);
  if (!keys) return "fields that cannot be read";
  if (keys.length === 0) return "no fields";
  return `${keys.slice(0, 5).join(", ")}${keys.length > 5 ? " …" : ""}`;
};

const cut = (text: string): string => (text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);

export const CALLED_AS: unique symbol = Symbol("called as");

export interface CalledAs {
  /** `segno.runs.list`; absent for the functions of release 0.2. */
  readonly [CALLED_AS]?: string;
}

/** Options may be anything before they are checked. */
export const calledAs = (given: unknown, otherwise: string): string =>
  (given as CalledAs | null | undefined)?.[CALLED_AS] ?? otherwise;

export const isThroughClient = (given: object): boolean => (given as CalledAs)[CALLED_AS] !== undefined;

/** Called with the run's id when it is placed on a fleet: it has no event before a worker takes it. */
export const PLACED: unique symbol = Symbol("placed");

export const placedListener = (given: object): ((id: string) => void) | undefined =>
  (given as { readonly [PLACED]?: (id: string) => void })[PLACED];
