// What is known of a step's output before it runs: which fields it has, and whether it may have others. Unknown is the
// honest answer for most.
import type { OutputField } from "./schema/output-field.ts";

export type Shape =
  | { readonly kind: "unknown" }
  | { readonly kind: "list"; readonly item: Shape }
  /** `exact`: no other field can exist. Otherwise a schema lists these, and a step may still give more. */
  | { readonly kind: "object"; readonly fields: ReadonlyMap<string, Shape>; readonly exact: boolean };

export const UNKNOWN: Shape = { kind: "unknown" };

export const object = (fields: Iterable<readonly [string, Shape]>, exact: boolean): Shape => ({
  kind: "object",
  fields: new Map(fields),
  exact,
});
/** These fields and no others. */
export const onlyFields = (...names: readonly string[]): Shape =>
  object(
    names.map((name) => [name, UNKNOWN] as const),
    true,
  );

function fieldShape(field: OutputField): Shape {
  if (field.type === "object" && field.properties) return declaredFields(field.properties);
  if (field.type === "array" && field.items) return { kind: "list", item: fieldShape(field.items) };
  return UNKNOWN;
}

/** The fields that a step's own `output` lists, and those that it has anyway. */
export function declaredFields(fields: Readonly<Record<string, OutputField>>, more: readonly string[] = []): Shape {
  const listed = Object.entries(fields).map(([name, field]) => [name, fieldShape(field)] as const);
  return object([...more.map((name) => [name, UNKNOWN] as const), ...listed], false);
}
