// A form filled with the inputs of a run, to start it again. The page is not shown the secrets that the run was given, and no
// run may be started with what stands in their place.
import { REDACTED } from "../../../redact/mark.ts";
import type { InputFieldJson } from "../../../server/contract/workflows.ts";
import { defaultsOf, inputText, type Mark, type Marks, type Typed } from "./input-values.ts";

export type Inputs = Readonly<Record<string, unknown>>;

/** A form before the user types. */
export interface FilledForm {
  readonly fields: readonly InputFieldJson[];
  readonly typed: Typed;
  readonly marks: Marks;
  /** Inputs of that run that the file does not take any more. */
  readonly left: readonly string[];
}

/** `declared`: null when the file takes any inputs; those of the run are then its fields. */
export function filledAgain(declared: readonly InputFieldJson[] | null, inputs: Inputs): FilledForm {
  const fields = declared ?? Object.entries(inputs).map(([name, value]) => fieldFor(name, value));
  const typed: Record<string, string> = { ...defaultsOf(fields) };
  const marks: Record<string, Mark> = {};
  for (const field of fields) {
    if (!Object.hasOwn(inputs, field.name)) continue;
    const value = inputs[field.name];
    const mark = markOf(field, value);
    if (mark) marks[field.name] = mark;
    typed[field.name] = mark?.kind === "secret" ? "" : inputText(value);
  }
  const names = new Set(fields.map(({ name }) => name));
  return { fields, typed, marks, left: Object.keys(inputs).filter((name) => !names.has(name)) };
}

const fieldFor = (name: string, value: unknown): InputFieldJson => ({
  name,
  type: Array.isArray(value) ? "array" : value === null ? "object" : typeof value,
  required: false,
  schema: {},
});

const SIMPLE: ReadonlySet<string> = new Set(["string", "number", "integer", "boolean"]);

function markOf({ type, secret }: InputFieldJson, value: unknown): Mark | undefined {
  if (value === "" || value === null) return secret ? undefined : { kind: "as-it-was", value };
  const text = inputText(value);
  if (secret || text === REDACTED) return { kind: "secret" };
  if (!text.includes(REDACTED)) return undefined;
  // No text, number or boolean is an object: then a name of the secret is what was recorded.
  return SIMPLE.has(type) && typeof value === "object" ? { kind: "secret" } : { kind: "hidden" };
}
