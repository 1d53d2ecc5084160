// Scenario files: finding them, and reading one: which answers agents, commands, HTTP, MCP servers, own steps and
// people give, and what is expected of the run.

import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type * as z from "zod";
import { isMapping } from "../../base/errors/mapping.ts";
import { atPlace } from "../../base/results/entry.ts";
import { refusedResult } from "../../base/results/refused.ts";
import type { Place } from "../../base/results/result.ts";
import { readForeignFile } from "../../language/foreign-file.ts";
import type { LoadWorld, NodePath } from "../../language/loaded.ts";
import { Refused, refusal } from "../../services/refusals.ts";
import type { GivenInput } from "../../services/request.ts";
import { realFiles, shownPath } from "../../services/session/files.ts";
import { otherKind } from "../../services/workflows/validate.ts";
import { extendingSchema, fixtureSchema, type ScenarioFile, scenarioSchema } from "./schema.ts";

export interface LoadedScenario {
  /** Absolute paths. */
  readonly file: string;
  readonly workflow: string;
  readonly scenario: ScenarioFile;
  /** An input as `-i` would be given it: a number or a boolean for a text is that text as it was written. */
  input(name: string): GivenInput;
  /** Of what stands there: of the key when it is an entry of a mapping, unless its value is asked for. */
  place(path: NodePath, part?: "value"): Place;
  /** A scalar of the file itself, as it was written. */
  written(path: NodePath): string | undefined;
}

/** Why a scenario fails, and where that stands when it is known. */
export interface ScenarioProblem {
  readonly message: string;
  readonly place?: Place;
  /** What would be right there instead. */
  readonly suggestions?: readonly string[];
}

/** With its place, as people read it. */
export const problemSentence = ({ message, place }: ScenarioProblem): string => atPlace(place, message);

/** A scenario that cannot be used, or a call that it has no answer for. */
export class ScenarioError extends Refused {
  override readonly name = "ScenarioError";

  /** What is wrong, each at its place; the message says all of it. */
  readonly problems: readonly ScenarioProblem[];

  constructor(message: string, problems: readonly ScenarioProblem[] = [{ message }]) {
    super(refusedResult({ message, errorType: "ScenarioError" }));
    this.problems = problems;
  }
}

/** `files`: the text of files as an editor has them; left out: those on disk. */
export function loadScenario(file: string, cwd: string, files?: LoadWorld): LoadedScenario {
  return load(resolve(cwd, file), { cwd, shown: file, chain: [], files: files ?? realFiles({}) });
}

interface Loading {
  readonly cwd: string;
  /** As the file that names it writes it. */
  readonly shown: string;
  /** The scenarios that extend this one. */
  readonly chain: readonly string[];
  readonly files: LoadWorld;
}

function load(path: string, { cwd, shown, chain, files }: Loading): LoadedScenario {
  if (chain.includes(path))
    throw new ScenarioError(`these scenarios extend each other without end: ${[...chain, path].join(" → ")}`);
  const text = readText(path, `the scenario ${shown}`, files);
  const isExtending = /^extends\s*:/m.test(text);
  const own = read(isExtending ? extendingSchema : scenarioSchema, { path, text, cwd, files, kind: "a scenario" });
  const layers: Layer[] = [own];
  for (const name of own.value.fixtures) {
    const fixture = resolve(dirname(path), name);
    layers.push(
      read(fixtureSchema, {
        path: fixture,
        cwd,
        files,
        kind: "a fixture",
        text: readText(fixture, `the fixture ${name}`, files),
      }),
    );
  }
  const base =
    own.value.extends === undefined
      ? undefined
      : load(resolve(dirname(path), own.value.extends), {
          cwd,
          files,
          shown: own.value.extends,
          chain: [...chain, path],
        });
  if (base) layers.push({ value: base.scenario, place: base.place, written: base.written });
  const scenario = merged(layers) as ScenarioFile;
  const { workflow: named } = own.value;
  const beside = resolve(dirname(path), named ?? "");
  const workflow = named === undefined ? (base?.workflow ?? "") : files.exists(beside) ? beside : resolve(cwd, named);
  const whose = (name: string): Layer => layers.find(({ value }) => hasOwnKey(value.inputs, name)) ?? own;
  const input = (name: string): GivenInput => {
    const value = scenario.inputs[name];
    if (typeof value === "string") return { text: value };
    const isScalar = typeof value === "number" || typeof value === "boolean";
    const written = isScalar ? whose(name).written(["inputs", name]) : undefined;
    return written === undefined ? { value } : { value, written };
  };
  return { file: path, workflow, scenario, input, place: placeIn(layers), written: own.written };
}

/** One of the files that a scenario is made of, the nearest first. */
interface Layer {
  readonly value: Partial<Omit<ScenarioFile, "workflow">> & { readonly workflow?: string };
  place(path: NodePath, part?: "value"): Place;
  written(path: NodePath): string | undefined;
}

const LISTS = ["cli_scripts", "http_scripts", "mcp_scripts", "step_scripts", "inject", "live"] as const;
/** What is expected is not among them: it is said of one scenario, as a whole. */
const MAPPINGS = ["inputs", "env", "agent_scripts", "gates", "questions", "policies", "set"] as const;

/** The fields of an entry that say which calls it is for. */
const MATCHED_BY = ["step", "command", "args", "question", "url", "method", "server", "tool", "type", "attempt"];

/** Entries of one file that are for the same calls answer in turn, and the last of them answers from then on. */
function inTurn(entries: readonly unknown[]): readonly unknown[] {
  const calls = entries.map((entry) => (isMapping(entry) ? JSON.stringify(entry, MATCHED_BY) : ""));
  return entries.map((entry, index) =>
    isMapping(entry) && entry.times === undefined && calls.includes(calls[index] ?? "", index + 1)
      ? { ...entry, times: 1 }
      : entry,
  );
}

/** Mappings entry by entry and lists one after the other, the nearest first: the first script that fits answers. */
function merged(layers: readonly Layer[]): unknown {
  const farthestFirst = layers.map(({ value }) => value).reverse();
  const whole: Record<string, unknown> = Object.assign({}, ...farthestFirst.map(withoutUndefined));
  for (const name of LISTS) whole[name] = layers.flatMap(({ value }) => inTurn(value[name] ?? []));
  for (const name of MAPPINGS)
    if (farthestFirst.some((value) => value[name] !== undefined))
      whole[name] = Object.assign({}, ...farthestFirst.map((value) => value[name] ?? {}));
  return whole;
}

const withoutUndefined = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined));

const hasOwnKey = (value: unknown, name: string): boolean =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name);

/** Where something stands, in whichever file it is. */
const placeIn =
  (layers: readonly Layer[]): LoadedScenario["place"] =>
  ([section, at, ...rest], part) => {
    let skipped = 0;
    for (const { value, place } of layers) {
      const there = (value as Record<string, unknown>)[String(section)];
      if (Array.isArray(there) && typeof at === "number") {
        if (at - skipped < there.length) return place([section ?? "", at - skipped, ...rest], part);
        skipped += there.length;
      } else if (at === undefined ? there !== undefined : hasOwnKey(there, String(at)))
        return place(at === undefined ? [section ?? ""] : [section ?? "", at, ...rest], part);
    }
    const whole = [section, at, ...rest].filter((key) => key !== undefined);
    return layers[0]?.place(whole, part) ?? { file: "", line: 1, column: 1 };
  };

function readText(path: string, what: string, files: LoadWorld): string {
  try {
    return Buffer.from(files.read(path)).toString("utf8");
  } catch (problem) {
    throw new ScenarioError(`${what} cannot be read: ${(problem as Error).message}`);
  }
}

interface FileText extends Pick<Loading, "cwd" | "files"> {
  readonly path: string;
  readonly text: string;
  /** Follows "a field of": "a scenario". */
  readonly kind: string;
}

function read<Schema extends z.ZodType>(
  schema: Schema,
  { path, text, cwd, files, kind }: FileText,
): Layer & { readonly value: z.output<Schema> } {
  const { value, positions, findings, written } = readForeignFile(schema, { path, text, kind, files });
  const file = shownPath(path, cwd);
  if (!value || !positions) {
    const problems = findings.map(({ location: { line, column }, message, suggestions }) => ({
      message,
      place: { file, line, column },
      suggestions,
    }));
    const said = problems.map(({ message, place: { line, column } }) => `${file}:${line}:${column} ${message}`);
    throw new ScenarioError(`${kind.replace("a ", "the ")} cannot be used:\n${said.join("\n")}`, problems);
  }
  return {
    value: value as z.output<Schema> & Layer["value"],
    place(at, part) {
      const isEntry = typeof at.at(-1) === "string" && part !== "value";
      const { line, column } = isEntry ? positions.key(at) : positions.at(at);
      return { file, line, column };
    },
    written: (at) => written?.(at),
  };
}

const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git", "dist", ".segno"]);

export function discoverScenarios(paths: readonly string[], cwd: string): readonly string[] {
  const found = new Set<string>();
  for (const path of paths.length === 0 ? ["."] : paths) {
    const absolute = resolve(cwd, path);
    if (!existsSync(absolute)) throw refusal(`there is no ${path}: name a scenario file, or a folder with scenarios`);
    if (statSync(absolute).isDirectory()) for (const file of below(absolute)) found.add(file);
    else found.add(absolute);
  }
  return [...found].sort();
}

/** Those of one workflow file, in its folder and below. */
export const scenariosOf = (workflow: string, cwd: string): readonly string[] =>
  discoverScenarios([dirname(workflow)], cwd).filter((file) => {
    try {
      return loadScenario(file, cwd).workflow === workflow;
    } catch (problem) {
      if (problem instanceof ScenarioError) return false;
      throw problem;
    }
  });

function* below(folder: string): Iterable<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!SKIPPED.has(entry.name)) yield* below(path);
    } else if (otherKind(entry.name) === "scenario") yield path;
  }
}

export { scenarioJsonSchema } from "./schema.ts";
