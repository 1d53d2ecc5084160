// Keeps answers small, since a client puts them before a model. Errors are never left out: what is long in them is cut, the
// longest first, and each cut says how long the value is and which resource has all of it.
import { isMapping, keptIn } from "../../base/errors/mapping.ts";

/** Of an object as JSON, and of a page of a resource. */
export const LARGEST_ANSWER = 50_000;
/** Of an answer's text. */
export const LARGEST_TEXT = 20_000;
const LONGEST_VALUE = 2000;

/** Half of a surrogate pair at the end is dropped: some JSON parsers refuse the whole answer for it. */
export const cutTo = (most: number, text: string): string => text.slice(0, most).replace(/[\ud800-\udbff]$/, "");

export function shortText(value: unknown, most = LONGEST_VALUE): string {
  const text = textOf(value);
  return text.length > most ? `${cutTo(most, text)} … (${text.length} characters)` : text;
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));

export const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0;

export interface Shortened {
  readonly object: Readonly<Record<string, unknown>>;
  /** Characters of each value that was cut, as JSON, by its path in the object: `errors/0/raw_response`. */
  readonly cut: Readonly<Record<string, number>>;
}

/** Tried one after the other until the object fits: values longer than this are cut to it. */
const LIMITS = [16_000, 8000, 4000, 2000, 1000, 500, 200, 80];
/** What a list beside the errors may take once it is longer than the limit. */
const ROOM_OF_A_LIST = 4000;
const MOST_ERRORS = 400;

/** `resource`: address of the whole object, if it can be read. */
export function shortenToFit(object: Readonly<Record<string, unknown>>, resource?: string): Shortened {
  if (sizeOf(object) <= LARGEST_ANSWER) return { object, cut: {} };
  let last: Shortened = { object, cut: {} };
  const { errors } = object;
  // So many do not fit, however short each is.
  const limits = Array.isArray(errors) && errors.length > MOST_ERRORS ? LIMITS.slice(-1) : LIMITS;
  for (const limit of limits) {
    last = withLimit(object, limit, resource);
    if (sizeOf(last.object) <= LARGEST_ANSWER) return last;
  }
  return withFewerErrors(last, resource);
}

function withLimit(object: Shortened["object"], limit: number, resource: string | undefined): Shortened {
  const cut: Record<string, number> = {};
  const short = (value: unknown, path: string): unknown => {
    const size = sizeOf(value);
    if (size <= limit) return value;
    cut[path] = size;
    return `${cutTo(limit, textOf(value))} … (${size} characters${resource ? `, all in ${resource}/${path}` : ""})`;
  };
  const fields = Object.entries(object).map(([name, value]) => {
    if (name === "errors" && Array.isArray(value))
      return [name, value.map((entry, index) => shortEntry(entry, `errors/${index}`, short))];
    if (sizeOf(value) <= Math.max(limit, ROOM_OF_A_LIST)) return [name, value];
    return [name, shortPart(value, name, { short, cut })];
  });
  return { object: Object.fromEntries(fields), cut };
}

const pathOf = (path: string, name: string): string => `${path}/${encodeURIComponent(name)}`;

type Short = (value: unknown, path: string) => unknown;

/** What tells one error from another; never cut. */
const IDENTITY: ReadonlySet<string> = new Set(
  "source category kind node_id action fixable retryable owner location rule group item_key".split(" "),
);

/** An error with all of its fields; of `details`, each value is cut by itself. */
function shortEntry(entry: unknown, path: string, short: Short): unknown {
  if (!isMapping(entry)) return short(entry, path);
  const fields = Object.entries(entry).map(([name, value]) => {
    if (IDENTITY.has(name)) return [name, value];
    const at = pathOf(path, name);
    return [name, isMapping(value) ? shortFields(value, at, short) : short(value, at)];
  });
  return Object.fromEntries(fields);
}

const shortFields = (fields: Readonly<Record<string, unknown>>, path: string, short: Short): object =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, short(value, pathOf(path, name))]));

/**
 * A part beside the errors: a list keeps its first members, a mapping loses what is too long in it. Texts are cut and
 * everything else is taken out, so that what is there still has the type that the output schema promises.
 */
function shortPart(
  value: unknown,
  path: string,
  { short, cut }: { readonly short: Short; readonly cut: Record<string, number> },
): unknown {
  if (typeof value === "string") return short(value, path);
  if (Array.isArray(value)) {
    cut[path] = sizeOf(value);
    return firstOf(value, ROOM_OF_A_LIST);
  }
  if (!isMapping(value)) return value;
  const fields = Object.entries(value).flatMap(([name, one]) => {
    const at = pathOf(path, name);
    if (typeof one === "string") return [[name, short(one, at)]];
    if (sizeOf(one) <= ROOM_OF_A_LIST / 4) return [[name, one]];
    cut[at] = sizeOf(one);
    return Array.isArray(one) ? [[name, firstOf(one, ROOM_OF_A_LIST)]] : [];
  });
  return Object.fromEntries(fields);
}

function firstOf(values: readonly unknown[], room: number): readonly unknown[] {
  let size = 0;
  return values.filter((value) => {
    size += sizeOf(value);
    return size <= room;
  });
}

const ROOM_OF_ERRORS = 30_000;
const MOST_KEYS = 20;

/** Hundreds of errors: the first in short, and one entry for each kind that counts the rest. */
function withFewerErrors({ object, cut }: Shortened, resource: string | undefined): Shortened {
  const { errors } = object;
  if (!Array.isArray(errors)) return { object, cut };
  const shown = firstOf(errors, ROOM_OF_ERRORS);
  const rest = new Map<string, Readonly<Record<string, unknown>>[]>();
  for (const entry of errors.slice(shown.length).filter(isMapping))
    keptIn(rest, `${entry.kind} ${entry.node_id} ${entry.rule}`, () => []).push(entry);
  const counted = [...rest.values()].map((alike) => {
    const [first = {}] = alike;
    const { item_key: _, ...entry } = first;
    const keys = alike.flatMap(({ item_key }) => (typeof item_key === "string" ? [cutTo(80, item_key)] : []));
    return {
      ...entry,
      count: alike.length,
      ...(keys.length > 0 ? { item_keys: keys.slice(0, MOST_KEYS) } : {}),
      hint: `${alike.length} errors of this kind${resource ? `; each is in ${resource}/errors` : ""}.`,
    };
  });
  const paths = Object.entries(cut).filter(([path]) => !/^errors\/\d/.test(path));
  return {
    object: { ...object, errors: [...shown, ...counted] },
    cut: { ...Object.fromEntries(paths), errors: sizeOf(errors) },
  };
}
