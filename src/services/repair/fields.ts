// The fields that exist: what templates of a failed run could have read. Names and types only, never values.
import type { RunEvent } from "../../events/registry.ts";

const DEEPEST = 3;
const MOST_FIELDS = 200;

/** `fetch.output.title: string`, by step, from what the steps really gave. */
export function fieldsOf(events: Iterable<RunEvent>, inputs: Readonly<Record<string, unknown>>): readonly string[] {
  const outputs = new Map<string, unknown>();
  for (const { type, path, data } of events)
    if (type === "agent_completed") outputs.set([...path, data.agent_name].join("/"), data.output);
  const found: string[] = [];
  for (const [name, value] of Object.entries(inputs)) found.push(...shape(`workflow.input.${name}`, value, 1));
  for (const [step, output] of outputs) found.push(...shape(`${step}.output`, output, 0));
  return found.length > MOST_FIELDS
    ? [...found.slice(0, MOST_FIELDS), `… and ${found.length - MOST_FIELDS} more`]
    : found;
}

function* shape(path: string, value: unknown, depth: number): Iterable<string> {
  yield `${path}: ${typeName(value)}`;
  if (depth >= DEEPEST || typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    if (value.length > 0) yield* shape(`${path}[0]`, value[0], depth + 1);
  } else for (const [name, inner] of Object.entries(value)) yield* shape(`${path}.${name}`, inner, depth + 1);
}

const typeName = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "list" : typeof value === "object" ? "mapping" : typeof value;
