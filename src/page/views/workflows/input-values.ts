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
export type Marks = Readonly<Record<string, Mark>>;

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
