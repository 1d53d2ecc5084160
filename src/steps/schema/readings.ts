// What needs no schema library, for schemas and for what reads values without them: short forms, durations, rules, and
// schemas that are built when they are first needed.
import type * as z from "zod";

/** A schema with what the reference says of it. */
export const described = <Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  more: z.GlobalMeta = {},
): Schema => schema.meta({ description, ...more });

/** Marks a mapping that in a file with `agents:` may have keys that it does not know, which have no effect. */
export const takesAnyKey = <Schema extends z.ZodType>(schema: Schema): Schema => schema.meta({ takesAnyKey: true });

const finding = (path: string[], params: Readonly<Record<string, string>>, message: string) => ({
  code: "custom" as const,
  path,
  params,
  message,
});

/** What a schema finds by itself: a key that is missing, or one that may not stand there. */
export const missingKey = (key: string, message: string) => finding([], { rule: "missing-key", key }, message);
export const atKey = (key: string, message: string) => finding([key], { at: "key" }, message);

/** What an input or a field of an output can be. */
export const FIELD_TYPES = ["string", "number", "boolean", "array", "object"] as const;

export interface ShortRetry {
  readonly max: number;
  readonly until?: undefined;
  readonly max_wait?: undefined;
  readonly backoff: "exponential";
  readonly initial_seconds: number;
  readonly max_seconds: number;
  readonly jitter: number | "full";
}

export const READINGS = {
  seconds: (said: number | string): number => (typeof said === "number" ? said : (parseDuration(said) ?? 0)),
  retry: <Long extends object>(said: number | Long): Long | ShortRetry =>
    typeof said === "number"
      ? { max: said, backoff: "exponential" as const, initial_seconds: 1, max_seconds: 60, jitter: 0 }
      : said,
  halt: <Long extends object>(
    said: string | Long,
  ): Long | { readonly message: string; readonly resumable?: undefined } =>
    typeof said === "string" ? { message: said } : said,
  cache: <Long extends object>(said: boolean | Long): false | Partial<Long> => (said === true ? {} : said),
  provider: <Long extends object>(said: string | Long) => (typeof said === "string" ? { name: said } : said),
} as const;

export type ReadingName = keyof typeof READINGS;

// When the rules that a schema adds to its fields have nothing to say. Named, so that they work without the schema.

/** Names that a loop variable would hide. */
export const TAKEN: readonly string[] = ["workflow", "context", "output", "error", "_index", "_key"];

const ASCII_NAME = /^[A-Za-z_]\w*$/;

/** As templates read names. Made when it is needed: V8 takes most of a millisecond for it. */
const ofAnyLetters = (): RegExp => /^[\p{ID_Start}_]\p{ID_Continue}*$/u;

export const LONGEST_WAIT_SECONDS = 24 * 3600;

const isTemplate = (value: string): boolean => value.includes("{{") || value.includes("{%");

export const JUDGEMENTS = {
  "a free name": (name: string): boolean =>
    !TAKEN.includes(name) && (ASCII_NAME.test(name) || ofAnyLetters().test(name)),
  "a wait": (said: number | string): boolean => {
    if (typeof said === "string" && isTemplate(said)) return true;
    const seconds = typeof said === "number" ? said : parseDuration(said);
    return seconds !== undefined && seconds > 0 && seconds <= LONGEST_WAIT_SECONDS;
  },
  "a number of retries": (retry: object): boolean => "max" in retry || "until" in retry,
  "one policy": (entry: object): boolean => Object.keys(entry).length === 1,
  "value or values": (step: object): boolean =>
    "value" in step !== "values" in step && ("value" in step || !("output_type" in step)),
} as const;

export type Judgement = keyof typeof JUDGEMENTS;

const UNITS = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 } as const;
export const DURATION = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?\s*$/;

/** Seconds, or undefined when the text is no duration. `parseDuration("2m")` is 120, and a bare number is seconds. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (!match?.[1]) return undefined;
  return Number(match[1]) * UNITS[(match[2] ?? "s") as keyof typeof UNITS];
}

/** As it would be written, in the largest unit that needs no fraction: `writtenDuration(5400)` is `90m`. */
export function writtenDuration(seconds: number): string {
  const units = Object.entries(UNITS).reverse();
  const [unit, size] = units.find(([, size]) => seconds >= size && Number.isInteger(seconds / size)) ?? ["s", 1];
  return `${seconds / size}${unit}`;
}

/** A secret of the environment, and the variable or header in which a script or a server gets it. */
export interface NamedSecret {
  readonly ref: string;
  readonly delivery: { readonly env: string } | { readonly header: string };
}

/** From the name that a receiver knows to the variable that holds the secret. */
export const secretNames = (
  list: readonly NamedSecret[] = [],
  by: "env" | "header",
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    list.flatMap(({ ref, delivery }): [string, string][] => {
      const name = by in delivery ? (delivery as Readonly<Record<string, string>>)[by] : undefined;
      return name === undefined ? [] : [[name, ref]];
    }),
  );

/** The same value each time, made on the first call. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
