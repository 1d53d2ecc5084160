// What a file says at a place, before defaults and readings: for rules about how something is written.
import type { LoadedWorkflow, NodePath } from "../loaded.ts";

/** The value at a path; undefined where nothing is written. */
export function writtenAt(raw: unknown, path: NodePath): unknown {
  let here = raw;
  for (const key of path) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Readonly<Record<string | number, unknown>>)[key];
  }
  return here;
}

/** The characters of a number or a boolean as the file has them: `1.10`, where its value is 1.1. */
export function scalarText({ positions, sources }: LoadedWorkflow, path: NodePath, value: unknown): string {
  const { file, line, column } = positions.at(path);
  const rest = sources
    .get(file)
    ?.split("\n")
    [line - 1]?.slice(column - 1);
  return rest?.match(/^[^\s,}\]#]+/)?.[0] ?? String(value);
}
