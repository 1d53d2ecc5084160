// What was built last, which `npm test` does first: which source files are loaded together.
import { readFileSync } from "node:fs";
import type { Metafile } from "esbuild";

const outputs: Metafile["outputs"] = JSON.parse(readFileSync("dist/chunks.json", "utf8"));

/** Source files in the chunk of a file, and in all that it imports at once. */
export function loadedWith(entry: string): readonly string[] {
  const first = Object.keys(outputs).find((name) => outputs[name]?.entryPoint === entry) ?? "";
  return [...filesOf(first)];
}

/** Whether any chunk has it. */
export const isBuilt = (file: string): boolean => Object.values(outputs).some(({ inputs }) => file in inputs);

function* filesOf(chunk: string, seen = new Set<string>()): Iterable<string> {
  if (seen.has(chunk)) return;
  seen.add(chunk);
  yield* Object.keys(outputs[chunk]?.inputs ?? {});
  for (const { path, kind } of outputs[chunk]?.imports ?? [])
    if (kind === "import-statement") yield* filesOf(path, seen);
}
