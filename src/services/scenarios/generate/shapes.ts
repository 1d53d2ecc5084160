// Made-up outputs: what a step must give so that everything that reads it renders.
import { keptIn } from "../../../errors/mapping.ts";
import type { LoadedWorkflow } from "../../../language/loaded.ts";
import type { OutputField, Step } from "../../../language/schema/index.ts";
import { answeredBy } from "../../../steps/types.ts";
import { references } from "../../../template/index.ts";

/** A tree of fields that a template reads; a leaf has no entries. */
export interface Fields {
  readonly [name: string]: Fields;
}

/** For every step, the fields of its output that templates of this file read. */
export function fieldsRead(workflow: LoadedWorkflow): ReadonlyMap<string, Fields> {
  const read = new Map<string, Record<string, Fields>>();
  const note = (path: readonly (string | number)[]): void => {
    const [node, second, ...rest] = path.map(String);
    if (!node || second !== "output") return;
    let at = keptIn(read, node, (): Record<string, Fields> => ({}));
    for (const part of rest) {
      at[part] ??= {};
      at = at[part] as Record<string, Fields>;
    }
  };
  for (const text of texts(workflow.definition))
    try {
      for (const { path } of references(text)) note(path);
    } catch {
      // Not a template after all.
    }
  return read;
}

function* texts(value: unknown): Iterable<string> {
  if (typeof value === "string") {
    if (value.includes("{{") || value.includes("{%")) yield value;
  } else if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) yield* texts(inner);
}

/** The details of errors that templates of this file read: what an injected error must have. */
export function detailsRead(workflow: LoadedWorkflow): Readonly<Record<string, unknown>> {
  const details: Record<string, unknown> = {};
  for (const text of texts(workflow.definition))
    try {
      for (const { path } of references(text)) {
        const at = path.indexOf("details");
        const isError = at > 0 && path[at - 1] === "error";
        if (isError && path[at + 1] !== undefined && path[at + 1] !== "group") details[String(path[at + 1])] ??= "x";
      }
    } catch {
      // Not a template after all.
    }
  return details;
}

/** The lists that for_each groups go through, by the step they come from: `step` → path below its output. */
export function listsRead(
  workflow: LoadedWorkflow,
): ReadonlyMap<string, readonly { readonly path: readonly string[]; readonly item: unknown }[]> {
  const lists = new Map<string, { path: readonly string[]; item: unknown }[]>();
  for (const group of workflow.definition.for_each) {
    const [node = "", second, ...path] = group.source.split(".");
    if (second !== "output") continue;
    lists.set(node, [...(lists.get(node) ?? []), { path, item: itemFor(group.as, group.key_by, group.agent) }]);
  }
  return lists;
}

/** An item with the fields that its step reads. */
export function itemFor(as: string, keyBy: string | undefined, step: Step): unknown {
  const fields: Record<string, unknown> = {};
  for (const text of texts(step))
    try {
      for (const { path } of references(text)) if (path[0] === as && path.length > 1) fields[String(path[1])] = "x";
    } catch {
      // Not a template after all.
    }
  if (keyBy) fields[keyBy.split(".").at(-1) ?? keyBy] = "x";
  return Object.keys(fields).length > 0 ? fields : "x";
}

export const madeUp = (fields: Fields | undefined): unknown =>
  fields && Object.keys(fields).length > 0
    ? Object.fromEntries(Object.entries(fields).map(([name, inner]) => [name, madeUp(inner)]))
    : "x";

/** A value that a declared field accepts. */
export function valueFor(field: OutputField): unknown {
  if (field.enum && field.enum.length > 0) return field.enum[0];
  switch (field.type) {
    case "string":
      return "x".repeat(Math.max(1, field.minLength ?? 1));
    case "number":
      return field.minimum ?? Math.min(1, field.maximum ?? 1);
    case "boolean":
      return true;
    case "array":
      return field.items ? [valueFor(field.items)] : ["x"];
    case "object":
      return Object.fromEntries(Object.entries(field.properties ?? {}).map(([name, inner]) => [name, valueFor(inner)]));
  }
}

/** A good output of a step: its schema, what is read of it, the lists that come from it. */
export function outputFor(
  step: Step,
  fields: Fields | undefined,
  lists: readonly { readonly path: readonly string[]; readonly item: unknown }[],
): Record<string, unknown> {
  const output: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(fields ?? {}))
    if (!FIXED.has(name) || answeredBy(step.type) === "step_scripts") output[name] = madeUp(inner);
  const declared = "output" in step ? step.output : undefined;
  for (const [name, field] of Object.entries(declared ?? {})) output[name] = valueFor(field);
  for (const { path, item } of lists) place(output, path, [item]);
  return output;
}

const FIXED: ReadonlySet<string> = new Set(["stdout", "stderr", "exit_code", "status", "headers", "response_time"]);

export function place(output: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [first, ...rest] = path;
  if (first === undefined) return;
  if (rest.length === 0) output[first] = value;
  else {
    const inner = output[first];
    const next = typeof inner === "object" && inner !== null && !Array.isArray(inner) ? { ...inner } : {};
    output[first] = next;
    place(next as Record<string, unknown>, rest, value);
  }
}
