// What is wrong with a value from outside, from what its schema found: "`count` must be a number, but it is text".
import type * as z from "zod";
import { listedNames } from "./nearest.ts";

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Where a value does not fit its schema, and what it must be: "must be a number". */
export interface Misfit {
  readonly path: Path;
  readonly wanted: string;
}

/** What is wrong in a sentence without its full stop. Values are not shown: some are secret. */
export function misfitText(issue: Issue, value: unknown): string {
  const nearer = nearestShape(issue, value);
  if (typeof nearer === "string") return nearer;
  const { code, path } = nearer;
  const given = valueAt(value, path);
  const name = path.length === 0 ? "it" : `\`${path.join(".")}\``;
  if (given === undefined && path.length > 0) return `${name} is missing`;
  return `${name} ${wantedBy(nearer)}${code === "invalid_type" ? `, but it is ${typeText(given)}` : ""}`;
}

export function misfitOf(issue: Issue, value: unknown): Misfit {
  const nearer = nearestShape(issue, value);
  return typeof nearer === "string"
    ? { path: issue.path, wanted: "must have the fields of one of its shapes" }
    : { path: nearer.path, wanted: wantedBy(nearer) };
}

/** Of several shapes the one that was probably meant, which has the fewest issues; a text when nothing of any is there. */
function nearestShape(issue: Issue, value: unknown): Issue | string {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return issue;
  const shapes = issue.errors.map((issues) =>
    issues.map((one): Issue => ({ ...one, path: [...issue.path, ...one.path] })),
  );
  const isMissing = ({ path }: Issue): boolean => path.length > issue.path.length && valueAt(value, path) === undefined;
  const missing = (issues: readonly Issue[]): number => issues.filter(isMissing).length;
  if (shapes.every((issues) => missing(issues) === issues.length))
    return `it needs ${shapes.map((issues) => issues.map(({ path }) => path.join(".")).join(" and ")).join(", or ")}`;
  const [[first] = []] = [...shapes].sort((a, b) => a.length - b.length || missing(a) - missing(b));
  return first === undefined ? issue : nearestShape(first, value);
}

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

function wantedBy(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be ${listedNames(issue.values.map(String), "or")}`;
    case "too_small":
      if (issue.origin !== "number" && Number(issue.minimum) === 1) return "must not be empty";
      return `must ${amount(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum)}`;
    case "too_big":
      return `must ${amount(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum)}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return `must not have ${listedNames(issue.keys, "or")}: not known here`;
    case "invalid_format":
      return issue.format === "regex" ? `must match ${issue.pattern}` : `must have the form of ${issue.format}`;
    case "custom":
      return String(issue.params?.wanted ?? "does not fit its schema");
    default:
      return "does not fit its schema";
  }
}

/** "be at least 3", "have at least 3 items". */
function amount(origin: string, bound: string, number: number | bigint): string {
  const part = origin === "string" ? "character" : origin === "array" || origin === "set" ? "item" : undefined;
  return part ? `have ${bound} ${number} ${part}${Number(number) === 1 ? "" : "s"}` : `be ${bound} ${number}`;
}

function typeText(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number") return Number.isInteger(value) ? "a number" : "a fraction";
  return { string: "text", boolean: "true or false", object: "an object" }[typeof value as string] ?? typeof value;
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (inner, key) => (inner as Readonly<Record<PropertyKey, unknown>> | null | undefined)?.[key],
    value,
  );
