// Where a finding ends, when what made it knew only where it begins: with the word or value that stands there.
import type { Finding } from "./loaded.ts";

/** `textOf` gives the text of a file; nothing where it cannot be read. */
export function withEnd(finding: Finding, textOf: (file: string) => string | undefined): Finding {
  const { location, end } = finding;
  if (end && (end.line > location.line || (end.line === location.line && end.column > location.column))) return finding;
  const line = textOf(location.file)?.split("\n", location.line)[location.line - 1] ?? "";
  const rest = line.slice(location.column - 1);
  const length = (/^(?:"[^"]*"|'[^']*'|[^\s:,{}[\]]+)/.exec(rest)?.[0] ?? rest.trimEnd()).length;
  return { ...finding, end: { line: location.line, column: location.column + Math.max(1, length) } };
}
