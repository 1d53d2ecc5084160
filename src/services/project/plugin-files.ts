// Node loses the async context of `queueMicrotask`, and of what is emitted by an object that something else made. Then the
// stack tells whose code it was.
import { fileURLToPath } from "node:url";
import type { Project } from "./read-project.ts";

/** The first file of plugins in the stack. */
export function fileInStack(problem: unknown, covered: Project["covered"]): string | undefined {
  const stack = problem instanceof Error ? String(problem.stack) : "";
  return stack
    .split("\n")
    .map(fileOfFrame)
    .find((file) => file !== undefined && covered.has(file));
}

/** `at shout (file:///work/plugins.mjs:3:5)`, `at async /work/lib.cjs:1:2`. */
function fileOfFrame(line: string): string | undefined {
  const place = /^\s+at (?:.*\(|async )?(.+):\d+:\d+\)?$/.exec(line)?.[1];
  if (!place?.startsWith("file:")) return place;
  try {
    return fileURLToPath(place);
  } catch {
    return undefined;
  }
}
