// What is typed into a form, as the values that a run is started with.
import type { InputFieldJson } from "../../../server/contract/workflows.ts";

export type Typed = Readonly<Record<string, string>>;

export const inputText = (value: unknown): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);

/** Whoever starts a run has to say something here. */
export const isNeeded = (field: InputFieldJson): boolean => field.required && field.default === undefined;

/** Values by name, or what is wrong with one of them. Nothing typed means the default, or that nothing is given. */
export function valuesOf(
  fields: readonly InputFieldJson[],
  typed: Typed,
): { readonly values: Readonly<Record<string, unknown>> } | { readonly field: string; readonly problem: string } {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const { name, type } = field;
    const text = typed[name] ?? "";
    if (text === "") {
      if (isNeeded(field)) return { field: name, problem: `${name} is needed.` };
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
