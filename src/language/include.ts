// What a workflow file takes in: `!file path` and `!yamlfile path` where they stand, and what becomes part of an agent's
// prompt: skills, instructions, and the templates that a prompt includes.
import { basename, dirname, extname, join, resolve } from "node:path";
import { unlessItThrows } from "../base/errors/mapping.ts";
import { pathWithin } from "../base/errors/path-within.ts";
import { BETWEEN_INSTRUCTIONS, type Skill } from "../steps/caller.ts";
import { TemplateError } from "../template/index.ts";
import { type Composed, compose } from "./compose.ts";
import { expand } from "./environment.ts";
import { EXAMPLES, type IncludeTag } from "./grow.ts";
import { type LoadedWorkflow, type LoadWorld, type NodePath, stepsOf, type TemplateSource } from "./loaded.ts";
import type { Page } from "./page.ts";
import { type Problem, readSource, type ScalarTree, type SourceFile, type SourcePlace, type Tree } from "./tree.ts";

/** In files that say they are structure, an error is an error; in others it means that they are text. */
export const STRUCTURED: readonly string[] = [".yaml", ".yml", ".json"];

/** Reads files of one family: remembers every text that was read. */
interface FileReading {
  readonly world: LoadWorld;
  readonly sources: Map<string, string>;
  /** Files that were taken in before, by path: one that is named many times is read once. */
  readonly taken?: Map<string, Composed>;
  /** Files that are text or structure by the field in which they stand. Left out: by themselves. */
  readonly undecided?: Tree[];
  /** What the file is, where it may take in no other: "a project". */
  readonly takesNothingIn?: string;
}

/** The tree of a file, with all that it takes in. */
export function composeFile(source: SourceFile, reading: FileReading, chain: readonly string[] = []): Composed {
  const here = [...chain, source.path];
  return compose(source, (tag, name, place) => take({ tag, name, place }, reading, here), reading.world);
}

/** Whether files take each other in without end shows when the first of them is composed; what came out of it has no such end. */
function composedOnce(source: SourceFile, reading: FileReading, chain: readonly string[]): Composed {
  const known = reading.taken?.get(source.path);
  if (known) return known;
  const composed = composeFile(source, reading, chain);
  reading.taken?.set(source.path, composed);
  return composed;
}

interface Named {
  readonly tag: IncludeTag;
  readonly name: string;
  readonly place: SourcePlace;
}

function take({ tag, name, place }: Named, reading: FileReading, chain: readonly string[]): Tree | readonly Problem[] {
  const refuse = (rule: Problem["rule"], message: string): readonly Problem[] => [{ rule, message, place }];
  if (reading.takesNothingIn !== undefined)
    return refuse(
      "unreadable-file",
      `\`${tag} ${name}\`: ${reading.takesNothingIn} takes in no other file. Write here what it holds.`,
    );
  if (name.trim() === "") return refuse("missing-file", `\`${tag}\` needs a path: \`${tag} ${EXAMPLES[tag]}\`.`);
  const path = resolve(dirname(place.source.path), name);
  if (chain.includes(path))
    return refuse(
      "yaml-syntax",
      `These files take each other in without end: ${[...chain.slice(chain.indexOf(path)), path].join(" → ")}. Remove one of the \`${tag}\` tags.`,
    );
  const read = readSource(path, reading.world);
  if (!read.ok)
    return refuse(read.rule, `\`${tag} ${name}\`: ${read.message} Paths are relative to the file that names them.`);
  const { source } = read;
  reading.sources.set(path, source.text);

  const { tree, problems } = composedOnce(source, reading, chain);
  if (tag === "!yamlfile") {
    if (problems.length > 0) return problems;
    return tree ?? { kind: "scalar", value: null, style: "plain", place, content: place, size: 1, depth: 1 };
  }
  const text = source.text.replace(/\r\n/g, "\n");
  const content: SourcePlace = { source, start: 0, end: source.text.length };
  const asText: ScalarTree = {
    kind: "scalar",
    value: text,
    style: "text",
    place,
    content,
    size: 1,
    depth: 1,
    included: text,
  };
  const isStructure = tree !== undefined && tree.kind !== "scalar";
  if (problems.length === 0 && !isStructure) return asText;
  if (!reading.undecided) {
    if (problems.length > 0) return isStructure || STRUCTURED.includes(extname(path)) ? problems : asText;
    return isStructure ? { ...tree, included: text } : asText;
  }
  const taken: Tree =
    problems.length > 0 || !isStructure ? { ...asText, unread: problems } : { ...tree, included: text, asText };
  reading.undecided.push(taken);
  return taken;
}

/** Where a skill that is named, not pathed, may live, beside the workflow file. */
const SHELVES: readonly string[] = [".", "skills", ".claude/skills", ".github/skills"];

type SkillPlace = Pick<LoadedWorkflow, "definition" | "dir" | "pathOf">;

/**
 * Skills: folders with a SKILL.md that are put before the prompts of agents. One that is named and not there is a
 * warning, since an agent can work without it. Every skill that the file names, by that name; one name may stand for a
 * folder of several.
 */
export function readSkills(place: SkillPlace, reading: FileReading, page: Page): ReadonlyMap<string, readonly Skill[]> {
  const { definition, dir, pathOf } = place;
  const found = new Map<string, readonly Skill[]>();
  const read = (names: readonly string[], path: NodePath, node?: string): void =>
    names.forEach((name, index) => {
      const skills = found.get(name) ?? skillsAt(name, dir, reading);
      found.set(name, skills);
      if (skills.length > 0) return;
      page.report(
        "missing-skill",
        [...path, index],
        `The skill \`${name}\` cannot be found: no folder of that name with a SKILL.md in \`${dir}\` or its \`skills\` folders. Agents will work without it.`,
        { severity: "warning", node },
      );
    });
  read(definition.workflow.runtime.skills, ["workflow", "runtime", "skills"]);
  for (const step of stepsOf(definition))
    if (step.type === "agent" && step.skills) read(step.skills, [...pathOf(step.name), "skills"], step.name);
  return found;
}

function skillsAt(name: string, dir: string, reading: FileReading): readonly Skill[] {
  const { world } = reading;
  const home = name.startsWith("~/") ? world.env.HOME : undefined;
  const folders = home ? [resolve(home, name.slice(2))] : SHELVES.map((shelf) => resolve(dir, shelf, name));
  for (const folder of folders.filter((one) => world.exists(one))) {
    const own = skillIn(folder, reading);
    if (own) return [own];
    const inside = listed(folder, world).flatMap((inner) => skillIn(join(folder, inner), reading) ?? []);
    if (inside.length > 0) return inside;
  }
  return [];
}

function skillIn(folder: string, reading: FileReading): Skill | undefined {
  const text = textOf(join(folder, "SKILL.md"), reading);
  if (text === undefined) return undefined;
  const references = join(folder, "references");
  const more = listed(references, reading.world)
    .filter((name) => name.endsWith(".md"))
    .map((name) => ({ name: `references/${name}`, text: textOf(join(references, name), reading) ?? "" }));
  const parts = [{ name: "SKILL.md", text }, ...more].map((part) => ({ ...part, text: part.text.trim() }));
  return { name: basename(folder), parts };
}

function textOf(file: string, { world, sources }: FileReading): string | undefined {
  if (!world.exists(file)) return undefined;
  const read = readSource(file, world);
  if (!read.ok) return undefined;
  sources.set(file, read.source.text);
  return read.source.text;
}

const listed = (folder: string, world: LoadWorld): readonly string[] =>
  world.exists(folder) ? [...(world.list?.(folder) ?? [])].sort() : [];

type InstructionPlace = Pick<LoadedWorkflow, "definition" | "dir">;

/** `workflow.instructions`: texts, or files with texts, that stand before every agent's prompt. */
export function readInstructions({ definition, dir }: InstructionPlace, reading: FileReading, page: Page): string {
  const texts = definition.workflow.instructions.map((entry, index) => {
    const text = entry.trim();
    if (!mayBePath(text)) return text;
    const file = resolve(dir, text);
    const read = reading.world.exists(file) ? readSource(file, reading.world) : undefined;
    if (read?.ok) {
      reading.sources.set(file, read.source.text);
      return read.source.text.trim();
    }
    if (looksLikePath(text))
      page.report(
        "missing-file",
        ["workflow", "instructions", index],
        `${read ? read.message : `There is no file \`${file}\`.`} Agents are given \`${text}\` itself as an instruction.`,
        { severity: "warning" },
      );
    return text;
  });
  return texts.filter(Boolean).join(definition.semantics.framesInstructions ? BETWEEN_INSTRUCTIONS : "\n\n");
}

const mayBePath = (text: string): boolean => text !== "" && text.length <= 1024 && !text.includes("\n");

/** One word that ends as text files do is no instruction to a model. */
const looksLikePath = (text: string): boolean => /^\S+\.(?:md|mdx|markdown|txt)$/i.test(text);

// Templates that a prompt from a `!file` may `include`, `import` or `extend`: relative to that file's folder, and only
// below the workflow's. A prompt that stands in the workflow file itself has none: a template reaches no files.

type TemplatePlace = Pick<LoadedWorkflow, "dir" | "positions" | "definition">;

export function templatesAt(
  path: NodePath,
  { dir, positions, definition }: TemplatePlace,
  reading: FileReading,
): TemplateSource | undefined {
  const { file } = positions.inside(path, 1, 1);
  if (file === positions.at(path).file) return undefined;
  return (name) => {
    const wanted = resolve(dirname(file), name);
    if (!pathWithin(dir, wanted))
      throw new TemplateError("type", `The template '${name}' is not below the workflow's folder, ${dir}.`);
    const read = readSource(wanted, reading.world);
    if (!read.ok) return undefined;
    reading.sources.set(wanted, read.source.text);
    if (definition.semantics.variables === "shell") return read.source.text;
    const { text, gaps } = expand(read.source.text, reading.world.env, { style: "plain" });
    const [gap] = gaps;
    if (gap) throw new TemplateError("type", `The environment variable ${gap.name} that '${name}' names is not set.`);
    return text;
  };
}

const NAMED = /\{%-?\s*(?:include|import|from|extends)\s+(["'])(.+?)\1/g;

/** Reads the templates that a prompt names outright, and those that they name, so that a run pins them. */
export function readNamedTemplates(source: string, load: TemplateSource, seen = new Set<string>()): void {
  for (const [, , name = ""] of source.matchAll(NAMED)) {
    if (seen.has(name)) continue;
    seen.add(name);
    // What cannot be read is said when the prompt is rendered, if it ever is.
    const inner = unlessItThrows(() => load(name), undefined);
    if (inner !== undefined) readNamedTemplates(inner, load, seen);
  }
}
