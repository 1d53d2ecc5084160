// What is wrong with a body or a query, in a sentence that names the field and what is wanted there.
import type { z } from "zod";

type Issue = z.core.$ZodIssue;

export function wrongInput(issues: readonly Issue[]): string {
  const [issue] = issues;
  if (!issue) return "this is not what the address takes";
  if (issue.code === "invalid_union" && issue.errors.length > 0) return wrongInAll(issue.errors, issue.path);
  const where = issue.path.length > 0 ? `${issue.path.join(".")}: ` : "";
  return `${where}${issue.message}`;
}

/** None of several shapes fits: reports the one that was probably meant, which has the fewest issues. */
function wrongInAll(shapes: readonly (readonly Issue[])[], outside: readonly PropertyKey[]): string {
  const [nearest = [], ...others] = [...shapes].sort((a, b) => a.length - b.length);
  const within = (issue: Issue): Issue => ({ ...issue, path: [...outside, ...issue.path] });
  // Nothing of any shape is there, so none is the likely one.
  if ([nearest, ...others].every((issues) => issues.every(isMissing)))
    return `it needs ${shapes.map((issues) => issues.map(({ path }) => path.join(".")).join(" and ")).join(", or ")}`;
  return wrongInput(nearest.map(within));
}

const isMissing = ({ code, path, message }: Issue): boolean =>
  code === "invalid_type" && path.length > 0 && message.endsWith("received undefined");
