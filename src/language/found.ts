// What was found in a file, in words: "must be {wanted}, but it is {found}".
import type { Finding } from "./loaded.ts";

const MOST_SHOWN = 60;

/** A value as it was found, short enough for a sentence. */
export function found(value: unknown): string {
  if (value === undefined || value === null) return "empty";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`;
  switch (typeof value) {
    case "string":
      return `the text ${JSON.stringify(value.length > MOST_SHOWN ? `${value.slice(0, MOST_SHOWN)}…` : value)}`;
    case "number":
      return `the number ${value}`;
    case "object":
      return "a mapping";
    default:
      return String(value);
  }
}

/** Findings in the order in which one reads: the root file first, then line by line; each once. */
export function inOrder(findings: readonly Finding[], rootFile: string | undefined): Finding[] {
  const files = [
    ...new Set([...(rootFile === undefined ? [] : [rootFile]), ...findings.map((one) => one.location.file)]),
  ];
  const rank = new Map(files.map((file, index) => [file, index]));
  const seen = new Set<string>();
  return findings
    .filter(({ rule, message, location: { file, line, column } }) => {
      const key = JSON.stringify([rule, message, file, line, column]);
      return !seen.has(key) && seen.add(key);
    })
    .sort((a, b) => {
      const [one, other] = [a.location, b.location];
      return (
        (rank.get(one.file) ?? 0) - (rank.get(other.file) ?? 0) || one.line - other.line || one.column - other.column
      );
    });
}
