// What is typed into a form, as the values that a run is started with.
import { REDACTED } from "../../../redact/mark.ts";
import type { InputFieldJson } from "../../../server/contract/workflows.ts";

export type Typed = Readonly<Record<string, string>>;

/**
 * What there is to know of a field that was filled in from an earlier run:
 * - `secret`: its value was a secret, which is not shown, and it has to be written in again;
 * - `hidden`: a secret stood in its text, where the mark stands now;
 * - `as-it-was`: nothing is typed, and that was its value; not the default.
 */
export type Mark =
  | { readonly kind: "secret" }
  | { readonly kind: "hidden" }
  | { readonly kind: "as-it-was"; readonly value: "" | null };
type Marks = Readonly<Record<string, Mark>>;

export const inputText = (value: unknown): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);

/** The user has to give a value here. */
export const isNeeded = (field: InputFieldJson): boolean => field.required && field.default === undefined;

/** A secret that was here has not been written in again. */
export const isSecretMissing = (text: string, mark: Mark | undefined): boolean =>
  (mark?.kind === "secret" && text === "") || (mark?.kind === "hidden" && text.includes(REDACTED));

/** A default that holds a secret stays out of its field: what is shown of it would be sent in its place. */
export const defaultsOf = (fields: readonly InputFieldJson[]): Typed =>
  Object.fromEntries(
    fields
      .filter((field) => field.default !== undefined)
      .map((field) => [field.name, inputText(field.default)] as const)
      .filter(([, text]) => !text.includes(REDACTED)),
  );

/** Values by name, or what is wrong with one of them. Nothing typed means the default, or that nothing is given. */
export function valuesOf(
  fields: readonly InputFieldJson[],
  typed: Typed,
  marks: Marks = {},
): { readonly values: Readonly<Record<string, unknown>> } | { readonly field: string; readonly problem: string } {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const { name, type } = field;
    const text = typed[name] ?? "";
    const mark = marks[name];
    if (isSecretMissing(text, mark)) return { field: name, problem: secretIsMissing(field, text) };
    if (text === "") {
      if (mark?.kind === "as-it-was") values[name] = mark.value;
      else if (isNeeded(field)) return { field: name, problem: `${name} is needed.` };
      continue;
    }
    if (type === "string") values[name] = text;
    else if (type === "number" || type === "integer") {
      if (Number.isNaN(Number(text))) return { field: name, problem: `${name} is a number.` };
      values[name] = Number(text);
    } else
      try {
        values[name] = JSON.parse(text);
      } catch {
        return { field: name, problem: `${name} is written as JSON, and this is none.` };
      }
  }
  return { values };
}

function secretIsMissing(field: InputFieldJson, text: string): string {
  const where =
    text === "" ? `${field.name} was a secret` : `A secret stood in ${field.name} where it says ${REDACTED}`;
  return `${where}, and secrets are not shown: write it in again${isNeeded(field) ? "" : `, or ${withoutIt(field)}`}.`;
}

/** What becomes of an input that need not be given. */
export const withoutIt = (field: InputFieldJson): string =>
  field.default === undefined ? "leave it out" : "use the default";

// A form filled with the inputs of a run, to start it again. The page is not shown the secrets that the run was given, and no
// run may be started with what stands in their place.

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
