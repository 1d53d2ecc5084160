// A scenario file: which answers agents, commands, HTTP, MCP servers, own steps and people give, and what is expected of the run.
import { dirname, resolve } from "node:path";
import * as z from "zod";
import { readForeignFile } from "../../language/foreign-file.ts";
import type { LoadWorld, NodePath } from "../../language/loaded.ts";
import { refusedResult } from "../../results/refused.ts";
import type { Place } from "../../results/result.ts";
import { Refused } from "../refusals.ts";
import type { GivenInput } from "../request.ts";
import { realFiles } from "../session/files.ts";
import { shownPath } from "../session/shown-path.ts";
import type { ScenarioProblem } from "./problem.ts";

const error = z.strictObject({
  kind: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).default({}),
});

const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const output = z
  .union([text, z.record(z.string(), z.unknown()), z.array(z.unknown())])
  .transform((value) => (typeof value === "string" ? value : JSON.stringify(value)));
const times = z.int().min(1).optional();
/** Of a recorded answer: only for a call that asks what was asked then (`questionOf`). */
const question = z.string().optional();
/** Virtual seconds that the call takes: past the step's timeout it times out. */
const takes = z.number().min(0).optional();

const lines = z.int().min(0).nullable();
const fileChange = z.strictObject({
  path: z.string(),
  change: z.enum(["added", "modified", "deleted"]),
  added: lines,
  removed: lines,
});
const denial = z.strictObject({
  what: z.string(),
  by: z.string().default("policy"),
  at: z.string().default("1970-01-01T00:00:00.000Z"),
});
/** What a coding agent would have changed, and been denied. A file may be its path alone. */
const changes = z.strictObject({
  files: z.array(z.union([z.string(), fileChange])).default([]),
  added: z.int().min(0).default(0),
  removed: z.int().min(0).default(0),
  incomplete: z.literal(true).optional(),
  denied: z.array(denial).optional(),
});
const agentAnswer = z.strictObject({
  content: z.unknown().optional(),
  changes: changes.optional(),
  error: error.optional(),
  takes_seconds: takes,
});
const LONGEST_COMMAND = 240;

/** A name that a program can have: where scripts run for real, a small program of that name stands in for it. */
const command = z.string().superRefine((name, { addIssue }) => {
  const problem = whyNoCommand(name);
  if (problem !== undefined) addIssue({ code: "custom", message: `no command can be called that: ${problem}` });
});

function whyNoCommand(name: string): string | undefined {
  if (name === "") return "the name is empty";
  if (name === "." || name === "..") return `${name} is a folder`;
  if (name.includes("\0")) return "it has a zero byte in it";
  return !/[\\/]/.test(name) && Buffer.byteLength(name) > LONGEST_COMMAND
    ? `it is longer than ${LONGEST_COMMAND} bytes`
    : undefined;
}

const cliScript = z.strictObject({
  command: command.optional(),
  args: z.array(text).default([]),
  step: z.string().optional(),
  question,
  stdout: output.default(""),
  stderr: output.default(""),
  exit_code: z.int().default(0),
  error: error.optional(),
  times,
  takes_seconds: takes,
});
const httpScript = z.strictObject({
  url: z.string().optional(),
  method: z.string().optional(),
  step: z.string().optional(),
  question,
  status: z.int().default(200),
  headers: z.record(z.string(), text).default({}),
  body: z.unknown().optional(),
  error: error.optional(),
  times,
  takes_seconds: takes,
});
const mcpScript = z.strictObject({
  server: z.string().optional(),
  tool: z.string().optional(),
  step: z.string().optional(),
  question,
  content: z.unknown().optional(),
  error: error.optional(),
  times,
  takes_seconds: takes,
});
/** For steps of own types: their code is not run. */
const stepScript = z.strictObject({
  step: z.string().optional(),
  question,
  type: z.string().optional(),
  output: z.unknown().optional(),
  error: error.optional(),
  times,
  takes_seconds: takes,
});
/** An error that a step of any type raises instead of running: on that attempt, or that often, or always. */
const injected = z.strictObject({ step: z.string(), attempt: z.int().min(1).optional(), times, error });
/** No one answers: the run pauses there, or the timeout of the gate passes; `yet`: it pauses despite a timeout. */
const unanswered = z.strictObject({ nobody: z.union([z.literal(true), z.literal("yet")]) });
const gateAnswer = z.union([
  text.transform((value) => ({ value, additional_input: {} as Record<string, string> })),
  z.strictObject({
    value: text,
    additional_input: z.record(z.string(), text).default({}),
    /** Who answers: `approvers` and `four_eyes` judge it. */
    by: z.string().optional(),
    takes_seconds: takes,
  }),
  unanswered,
]);

/** What answers for the outside: the part that a file of answers may have, and scenarios share. */
const answers = {
  env: z.record(z.string(), text).default({}),
  agent_scripts: z.record(z.string(), z.array(agentAnswer)).default({}),
  cli_scripts: z.array(cliScript).default([]),
  http_scripts: z.array(httpScript).default([]),
  mcp_scripts: z.array(mcpScript).default([]),
  step_scripts: z.array(stepScript).default([]),
  inject: z.array(injected).default([]),
  gates: z.record(z.string(), z.union([gateAnswer, z.array(gateAnswer)])).default({}),
  questions: z.record(z.string(), z.union([unanswered, z.record(z.string(), text)])).default({}),
};

export const scenarioSchema = z.strictObject({
  workflow: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  skip: z.string().optional(),
  /** Another scenario, whose fields count where this one has none. */
  extends: z.string().optional(),
  /** Files with answers alone; what stands here goes before what stands there. */
  fixtures: z.array(z.string()).default([]),
  inputs: z.record(z.string(), z.unknown()).default({}),
  /** Who started the run: with `four_eyes` they may not answer. */
  started_by: z.string().optional(),
  ...answers,
  /** Steps that run for real, whatever else is scripted. */
  live: z.array(z.string()).default([]),
  /** Agents that nothing is scripted for are asked for real: all of them, or these. */
  live_agents: z.union([z.boolean(), z.array(z.string())]).optional(),
  /** Other values in the workflow file: `runtime.default_model`, `classify.prompt`. */
  set: z.record(z.string(), z.unknown()).default({}),
  /** The run ends after this step of the workflow file. */
  until: z.string().optional(),
  strict: z.boolean().optional(),
  strict_gates: z.boolean().optional(),
  expected_trace: z.record(z.string(), z.unknown()).optional(),
});

/** What extends another need not name the workflow again. */
const extendingSchema = scenarioSchema.extend({ workflow: z.string().optional(), extends: z.string() });
const fixtureSchema = z.strictObject(answers);

export type ScenarioFile = z.output<typeof scenarioSchema>;
export type AgentAnswer = z.output<typeof agentAnswer>;

export interface LoadedScenario {
  /** Absolute paths. */
  readonly file: string;
  readonly workflow: string;
  readonly scenario: ScenarioFile;
  /** An input as `-i` would be given it: a number or a boolean for a text is that text as it was written. */
  input(name: string): GivenInput;
  /** Of what stands there: of a key when it is that of a mapping. */
  place(path: NodePath): Place;
  /** A scalar of the file itself, as it was written. */
  written(path: NodePath): string | undefined;
}

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
        ...{ path: fixture, cwd, files, kind: "a fixture" },
        text: readText(fixture, `the fixture ${name}`, files),
      }),
    );
  }
  const base =
    own.value.extends === undefined
      ? undefined
      : load(resolve(dirname(path), own.value.extends), {
          ...{ cwd, files },
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
  place(path: NodePath): Place;
  written(path: NodePath): string | undefined;
}

const LISTS = ["cli_scripts", "http_scripts", "mcp_scripts", "step_scripts", "inject", "live"] as const;
/** What is expected is not among them: it is said of one scenario, as a whole. */
const MAPPINGS = ["inputs", "env", "agent_scripts", "gates", "questions", "set"] as const;

/** Mappings entry by entry and lists one after the other, the nearest first: the first script that fits answers. */
function merged(layers: readonly Layer[]): unknown {
  const farthestFirst = layers.map(({ value }) => value).reverse();
  const whole: Record<string, unknown> = Object.assign({}, ...farthestFirst.map(withoutUndefined));
  for (const name of LISTS) whole[name] = layers.flatMap(({ value }) => (value[name] ?? []) as unknown[]);
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
  ([section, at, ...rest]) => {
    let skipped = 0;
    for (const { value, place } of layers) {
      const there = (value as Record<string, unknown>)[String(section)];
      if (Array.isArray(there) && typeof at === "number") {
        if (at - skipped < there.length) return place([section ?? "", at - skipped, ...rest]);
        skipped += there.length;
      } else if (at === undefined ? there !== undefined : hasOwnKey(there, String(at)))
        return place(at === undefined ? [section ?? ""] : [section ?? "", at, ...rest]);
    }
    return (
      layers[0]?.place([section, at, ...rest].filter((part) => part !== undefined)) ?? { file: "", line: 1, column: 1 }
    );
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
    place(at) {
      const { line, column } = typeof at.at(-1) === "number" ? positions.at(at) : positions.key(at);
      return { file, line, column };
    },
    written: (at) => written?.(at),
  };
}
