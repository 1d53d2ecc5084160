// A key that does not belong where it stands: which one was meant, or where it does belong.
import type * as z from "zod";
import { didYouMean, listedNames, nearest } from "../errors/nearest.ts";
import { route } from "../steps/schema/route.ts";
import type { NodePath } from "./loaded.ts";
import { type Page, pathText, type Subject } from "./page.ts";
import { STEP_TYPES, TOP_KEYS, workflowFile } from "./schema/index.ts";
import { choicesOf, schemaAt, shapeOf } from "./schema-at.ts";

/** A longer list of the known keys would not help. */
const MOST_LISTED = 12;

/** Says it, and returns the keys that may have been meant. */
export function reportUnknownKey(
  schema: z.ZodType,
  path: NodePath,
  key: string,
  page: Page,
  subject: Subject,
): readonly string[] {
  const known = path.length === 0 && subject.known ? subject.known() : knownKeys(schema, path);
  const full = [...subject.path, ...path, key];
  const where =
    path.length > 0
      ? `\`${pathText(subject.name === "" ? [...subject.path, ...path] : path)}\`${subject.name === "" ? "" : ` of ${subject.name}`}`
      : subject.kind;
  const home = path.length === 0 && !subject.isForeign ? elsewhere(key, subject) : undefined;
  const suggestions = nearest(key, known);
  const list =
    suggestions.length === 0 && !home && known.length <= MOST_LISTED ? ` It takes ${listedNames(known, "and")}.` : "";
  const message = `\`${key}\` is not a field of ${where}${home ? `; it belongs ${home}` : ""}.${didYouMean(suggestions)}${list}`;
  page.report("unknown-key", full, message, { at: "key", suggestions, node: subject.node });
  return suggestions;
}

const knownKeys = (schema: z.ZodType, path: NodePath): string[] => {
  const field = schemaAt(schema, path);
  return field ? choicesOf(field).flatMap((choice) => Object.keys(shapeOf(choice) ?? {})) : [];
};

/** Where a misplaced key would be right. */
function elsewhere(key: string, subject: Subject): string | undefined {
  const section = shapeOf(workflowFile().shape.workflow) ?? {};
  if (subject.path.length === 0) return Object.hasOwn(section, key) ? "under `workflow:`" : undefined;
  if (subject.path[0] === "workflow")
    return (TOP_KEYS as readonly string[]).includes(key)
      ? "at the top level of the file, beside `workflow:`"
      : undefined;
  if (HAVE_ROUTES.has(subject.path[0]) && Object.hasOwn(shapeOf(route) ?? {}, key))
    return `to ${ROUTED[key] ?? "an entry of `routes`"}`;
  const types = typesWith(key);
  if (types.length === 0) return undefined;
  const all = Object.keys(STEP_TYPES);
  if (types.length === all.length) return "to steps, under `agents:`";
  if (types.length > all.length / 2)
    return `to every type of step but ${listedNames(
      all.filter((type) => !types.includes(type)),
      "and",
    )}`;
  return `to steps of type ${listedNames(types, "and")}`;
}

const HAVE_ROUTES: ReadonlySet<unknown> = new Set(["agents", "parallel", "for_each"]);

/** A step has more than one way to be tried again, so the one that is meant is written out. */
const ROUTED: Readonly<Record<string, string>> = {
  retry: "a route for errors, such as `- { on_error: true, retry: 3 }` in `routes`",
};

let owners: ReadonlyMap<string, readonly string[]> | undefined;

/** The step types that have a field of this name. */
export function typesWith(key: string): readonly string[] {
  owners ??= ownersOfFields();
  return owners.get(key) ?? [];
}

function ownersOfFields(): ReadonlyMap<string, readonly string[]> {
  const map = new Map<string, string[]>();
  for (const [type, { schema }] of Object.entries(STEP_TYPES))
    for (const key of Object.keys(schema().shape)) map.set(key, [...(map.get(key) ?? []), type]);
  return map;
}
