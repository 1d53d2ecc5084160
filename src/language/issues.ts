// Schema issues as a flat list: what a choice of shapes refused is traced to the shape that was meant.
import type * as z from "zod";
import type { NodePath } from "./loaded.ts";

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
