// Small differences between what is written and what the schema wants that need no word: `5` where text is wanted,
// a variable's `"5"` where a number is, an option left empty.
import type * as z from "zod";
import type { NodePath } from "./loaded.ts";
import type { Page } from "./page.ts";
import { choicesOf, defOf, isOptional, metaOf } from "./schema-at.ts";
import { writtenText } from "./tree.ts";

/** The value to take instead, `undefined` inside for "as if it were not there"; nothing when there is no mending it. */
export function mend(
  schema: z.core.$ZodType,
  value: unknown,
  path: NodePath,
  page: Page,
): { readonly value: unknown } | undefined {
  const tree = page.treeAt(path);
  const types = choicesOf(schema).map((choice) => defOf(choice).type);
  if (value === null && isOptional(schema) && !isRouteField(path)) return { value: undefined };
  if (types.includes("string")) {
    if (tree?.kind === "scalar" && isScalarValue(value) && metaOf(schema).scalars) return { value: writtenText(tree) };
    if (tree?.included !== undefined && typeof value === "object") return { value: tree.included };
  }
  for (const type of types) {
    const typed = mendAs(type, value, path, page);
    if (typed) return typed;
  }
  return undefined;
}

/** What the environment wrote is text; where a number or a boolean is wanted, it is read as one. */
export function mendAs(
  type: string,
  value: unknown,
  path: NodePath,
  page: Page,
): { readonly value: unknown } | undefined {
  if (typeof value !== "string" || !page.isExpanded(path)) return undefined;
  const text = value.trim();
  if (type === "number" && text !== "" && Number.isFinite(Number(text))) return { value: Number(text) };
  if (type === "boolean" && /^(true|false)$/i.test(text)) return { value: text.toLowerCase() === "true" };
  return undefined;
}

const isScalarValue = (value: unknown): boolean => typeof value === "number" || typeof value === "boolean";

/**
 * An empty `when` would change what a route means, so it is not passed over. An empty `on_error` makes a success route,
 * as in Conductor; a rule warns about it.
 */
const isRouteField = (path: NodePath): boolean =>
  path.at(-1) !== "on_error" &&
  (path.at(-3) === "routes" || path.at(-3) === "error_routes") &&
  typeof path.at(-2) === "number";
