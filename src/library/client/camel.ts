// Answers for programs: names in camelCase, and `toJSON()` for the same as the command line prints it.
import { isMapping } from "../../errors/mapping.ts";

/** What belongs to the user: it keeps the keys that it has. */
const KEPT = [
  "output",
  "details",
  "inputs",
  "raw_response",
  "response_headers",
  "data",
  "fields",
  "attributes",
  "item",
  "questions",
  "saw",
  "cause",
  "event",
] as const;

/** What is by names of steps, models, kinds or variants, which stay; what stands under them is ours. */
const NAMED: ReadonlySet<string> = new Set(["node_actions", "node_hashes", "by_model", "failures", "errors", "passed"]);
const KEPT_NAMES: ReadonlySet<string> = new Set(KEPT);

type CamelKey<Key> = Key extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelKey<Rest> & string>}`
  : Key;

/** A type of the JSON with its names in camelCase, at any depth. */
export type Camel<Json> = Json extends readonly (infer One)[]
  ? readonly Camel<One>[]
  : Json extends object
    ? {
        readonly [Key in keyof Json as CamelKey<Key>]: Key extends (typeof KEPT)[number] ? Json[Key] : Camel<Json[Key]>;
      }
    : Json;

/** An answer; `JSON.stringify` of it gives what the command line prints. */
export type Answered<Json> = Camel<Json> & { toJSON(): Json };

export function answered<Json extends object>(json: Json): Answered<Json> {
  return withJson(camel(json) as Camel<Json>, json);
}

/** Not enumerable, so that the answer can be spread and compared. */
export const withJson = <Answer, Json>(answer: Answer, json: Json): Answer & { toJSON(): Json } =>
  Object.defineProperty(answer as Answer & { toJSON(): Json }, "toJSON", { value: () => json });

export function camel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camel);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      KEPT_NAMES.has(key) ? one : NAMED.has(key) ? named(one) : camel(one),
    ]),
  );
}

const named = (value: unknown): unknown =>
  isMapping(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, camel(one)])) : camel(value);
