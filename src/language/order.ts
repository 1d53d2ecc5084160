// Findings in the order in which one reads: the root file first, then line by line; each once.
import type { Finding } from "./loaded.ts";

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
