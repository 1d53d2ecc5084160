// `!file path` — takes in another file where it stands: a mapping or list as structure, anything else as text.
import { dirname, extname, resolve } from "node:path";
import { type Composed, compose } from "./compose.ts";
import type { Problem } from "./grow.ts";
import type { LoadWorld } from "./loaded.ts";
import { readSource, type SourceFile } from "./source-file.ts";
import type { SourcePlace, Tree } from "./tree.ts";

/** In files that say they are structure, an error is an error; in others it means that they are text. */
const STRUCTURED: readonly string[] = [".yaml", ".yml", ".json"];

/** Reads files of one family: remembers every text that was read. */
export interface FileReading {
  readonly world: LoadWorld;
  readonly sources: Map<string, string>;
  /** Files that were taken in before, by path: one that is named many times is read once. */
  readonly taken?: Map<string, Composed>;
  /** What the file is, where it may take in no other: "a project". */
  readonly takesNothingIn?: string;
}

/** The tree of a file, with all that it takes in. */
export function composeFile(source: SourceFile, reading: FileReading, chain: readonly string[] = []): Composed {
  const here = [...chain, source.path];
  return compose(source, (name, place) => take(name, place, reading, here), reading.world);
}

/** Whether files take each other in without end shows when the first of them is composed; what came out of it has no such end. */
function composedOnce(source: SourceFile, reading: FileReading, chain: readonly string[]): Composed {
  const known = reading.taken?.get(source.path);
  if (known) return known;
  const composed = composeFile(source, reading, chain);
  reading.taken?.set(source.path, composed);
  return composed;
}

function take(
  name: string,
  place: SourcePlace,
  reading: FileReading,
  chain: readonly string[],
): Tree | readonly Problem[] {
  const refuse = (rule: Problem["rule"], message: string): readonly Problem[] => [{ rule, message, place }];
  if (reading.takesNothingIn !== undefined)
    return refuse(
      "unreadable-file",
      `\`!file ${name}\`: ${reading.takesNothingIn} takes in no other file. Write here what it holds.`,
    );
  if (name.trim() === "") return refuse("missing-file", "`!file` needs a path: `!file prompts/review.md`.");
  const path = resolve(dirname(place.source.path), name);
  if (chain.includes(path))
    return refuse(
      "yaml-syntax",
      `These files take each other in without end: ${[...chain.slice(chain.indexOf(path)), path].join(" → ")}. Remove one of the \`!file\` tags.`,
    );
  const read = readSource(path, reading.world);
  if (!read.ok)
    return refuse(read.rule, `\`!file ${name}\`: ${read.message} Paths are relative to the file that names them.`);
  const { source } = read;
  reading.sources.set(path, source.text);

  const { tree, problems } = composedOnce(source, reading, chain);
  const isStructure = tree !== undefined && tree.kind !== "scalar";
  if (problems.length > 0 && (STRUCTURED.includes(extname(path)) || isStructure)) return problems;
  const text = source.text.replace(/\r\n/g, "\n");
  if (isStructure && problems.length === 0) return { ...tree, included: text };
  const content: SourcePlace = { source, start: 0, end: source.text.length };
  return { kind: "scalar", value: text, style: "text", place, content, size: 1, depth: 1, included: text };
}
