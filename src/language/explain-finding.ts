// What is wrong with a value, in sentences: what was found, what is wanted, an example.
import type * as z from "zod";
import { didYouMean, nearest } from "../base/errors/nearest.ts";
import { asArguments } from "./foreign-step.ts";
import { found, type NodePath } from "./loaded.ts";
import { type Page, pathText, type Subject } from "./page.ts";
import { choicesOf, defOf, isOptional, metaOf } from "./schema-at.ts";
import { writtenText } from "./tree.ts";
import { allowedValues, example, wanted } from "./unknown-key.ts";

/** Says what is wrong with the value at a path below `subject`. */
export function explainFinding(
  issue: Issue,
  path: NodePath,
  field: z.core.$ZodType,
  value: unknown,
  page: Page,
  subject: Subject,
): void {
  const full = [...subject.path, ...path];
  const { node } = subject;
  const name = nameOf(path, subject);
  const sample = example(field, full.at(-1));
  const forExample = sample ? ` For example: \`${sample}\`.` : "";

  if (issue.code === "custom" && issue.params?.expects !== true) {
    const { rule = "wrong-type", at = "value" } = (issue.params ?? {}) as { rule?: string; at?: "key" | "value" };
    const whose = subject.name === "" ? "" : `${capital(subject.name)}: `;
    page.report(
      rule,
      rule === "missing-key" ? full.slice(0, -1) : full,
      whose === "" ? capital(issue.message) : `${whose}${issue.message}`,
      { at, node },
    );
  } else if (value === undefined) {
    const { description } = metaOf(field);
    const choice = allowedValues(field).length > 1 ? ` It must be ${wanted(field)}.` : "";
    page.report(
      "missing-key",
      full.slice(0, -1),
      `${name} is missing.${description ? ` ${description}` : ""}${choice}${forExample}`,
      { node },
    );
  } else {
    const suggestions = typeof value === "string" ? nearest(value, allowedValues(field)) : [];
    const more = suggestions.length > 0 ? didYouMean(suggestions) : `${hint(field, value, full.at(-1))}${forExample}`;
    const given = metaOf(field).isSecret ? "something else, which is not shown here" : found(value);
    page.report("wrong-type", full, `${name} must be ${wanted(field)}, but it is ${given}.${more}`, {
      suggestions,
      node,
    });
  }
}

/** "`routes[1].retry.max` of step `build`". */
export function nameOf(path: NodePath, subject: Subject): string {
  const own = subject.name === "" ? [...subject.path, ...path] : path;
  if (own.length === 0) return capital(subject.name || "The file");
  return `\`${pathText(own)}\`${subject.name === "" ? "" : ` of ${subject.name}`}`;
}

function hint(field: z.core.$ZodType, value: unknown, key: string | number | undefined): string {
  const want = wanted(field);
  if (want.includes("text") && (typeof value === "number" || typeof value === "boolean")) return " Put it in quotes.";
  // The example shows how a list of mappings is written.
  if (want.startsWith("a list") && !want.includes("mapping") && typeof value === "string" && value !== "")
    return ` Write it as a list: \`[${value.length > 40 ? "…" : key === "args" ? asArguments(value) : value}]\`.`;
  return "";
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

// Schema issues as a flat list: what a choice of shapes refused is traced to the shape that was meant.

export type Issue =
  Exclude<z.core.$ZodIssue, z.core.$ZodIssueInvalidUnion> extends infer I
    ? I extends z.core.$ZodIssue
      ? Omit<I, "path"> & { readonly path: NodePath }
      : never
    : never;

/** Unknown keys come first: a misspelt key is also a missing one, and the first says more. */
export function flatten(issues: readonly z.core.$ZodIssue[], at: NodePath = []): Issue[] {
  const flat = issues.flatMap((issue): Issue[] => {
    const path = [...at, ...(issue.path as NodePath)];
    if (issue.code !== "invalid_union") return [{ ...issue, path } as Issue];
    // The shape that was meant is the one that got further than the value itself.
    const meant = issue.errors.find((errors) => errors.length > 0 && errors.every(isInside));
    return meant ? flatten(meant, path) : [{ code: "invalid_type", expected: "unknown", path, message: "" } as Issue];
  });
  const isKey = (issue: Issue): boolean => issue.code === "unrecognized_keys";
  return [...flat.filter(isKey), ...flat.filter((issue) => !isKey(issue))];
}

const isInside = (issue: z.core.$ZodIssue): boolean => issue.path.length > 0 || issue.code === "unrecognized_keys";

// Small differences between what is written and what the schema wants that need no word: `5` where text is wanted,
// a variable's `"5"` where a number is, an option left empty.

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
    const typed = mendAs(type, value, path, page) ?? mendWritten(type, value);
    if (typed) return typed;
  }
  return undefined;
}

const BOOLEANS: Readonly<Record<string, boolean>> = {
  ...{ true: true, yes: true, on: true, "1": true },
  ...{ false: false, no: false, off: false, "0": false },
};

/** Words that are booleans in YAML 1.1, and numbers in quotes. */
function mendWritten(type: string, value: unknown): { readonly value: unknown } | undefined {
  if (type === "number" && typeof value === "string" && /^\s*[+-]?\d+\s*$/.test(value)) return { value: Number(value) };
  if (type !== "boolean" || (typeof value !== "string" && typeof value !== "number")) return undefined;
  const meant = BOOLEANS[String(value).trim().toLowerCase()];
  return meant === undefined ? undefined : { value: meant };
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
