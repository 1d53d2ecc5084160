// Templates that a prompt from a `!file` may `include`, `import` or `extend`: relative to that file's folder, and only
// below the workflow's. A prompt that stands in the workflow file itself has none: a template reaches no files.
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { TemplateError } from "../template/index.ts";
import type { FileReading } from "./include.ts";
import type { LoadedWorkflow, NodePath, TemplateSource } from "./loaded.ts";
import { readSource } from "./source-file.ts";

type Place = Pick<LoadedWorkflow, "dir" | "positions">;

export function templatesAt(
  path: NodePath,
  { dir, positions }: Place,
  reading: FileReading,
): TemplateSource | undefined {
  const { file } = positions.inside(path, 1, 1);
  if (file === positions.at(path).file) return undefined;
  return (name) => {
    const wanted = resolve(dirname(file), name);
    if (!isBelow(wanted, dir))
      throw new TemplateError("type", `The template '${name}' is not below the workflow's folder, ${dir}.`);
    const read = readSource(wanted, reading.world);
    if (!read.ok) return undefined;
    reading.sources.set(wanted, read.source.text);
    return read.source.text;
  };
}

const NAMED = /\{%-?\s*(?:include|import|from|extends)\s+(["'])(.+?)\1/g;

/** Reads the templates that a prompt names outright, and those that they name, so that a run pins them. */
export function readNamedTemplates(source: string, load: TemplateSource, seen = new Set<string>()): void {
  for (const [, , name = ""] of source.matchAll(NAMED)) {
    if (seen.has(name)) continue;
    seen.add(name);
    const inner = quietly(() => load(name));
    if (inner !== undefined) readNamedTemplates(inner, load, seen);
  }
}

/** What cannot be read is said when the prompt is rendered, if it ever is. */
function quietly(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function isBelow(file: string, folder: string): boolean {
  const way = relative(folder, file);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
