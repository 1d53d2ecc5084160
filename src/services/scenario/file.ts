// A scenario file: which answers agents, commands, HTTP, MCP servers, own steps and people give, and what is expected of the run.
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import * as z from "zod";
import { readForeignFile } from "../../language/foreign-file.ts";
import type { NodePath } from "../../language/loaded.ts";
import { refusedResult } from "../../results/refused.ts";
import type { Place } from "../../results/result.ts";
import { Refused } from "../refusals.ts";
import { readRegularFile } from "../regular-file.ts";
import type { GivenInput } from "../request.ts";
import { shownPath } from "../shown-path.ts";
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
/** Virtual seconds that the call takes: past the step's timeout it times out. */
const takes = z.number().min(0).optional();

const lines = z.int().min(0).nullable();
const fileChange = z.strictObject({
  path: z.string(),
  change: z.enum(["added", "modified", "deleted"]),
  added: lines,
  removed: lines,
});
/** What a coding agent would have changed. A file may be its path alone. */
const changes = z.strictObject({
  files: z.array(z.union([z.string(), fileChange])),
  added: z.int().min(0).default(0),
  removed: z.int().min(0).default(0),
  incomplete: z.literal(true).optional(),
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
  return !name.includes("/") && Buffer.byteLength(name) > LONGEST_COMMAND
    ? `it is longer than ${LONGEST_COMMAND} bytes`
    : undefined;
}

const cliScript = z.strictObject({
  command: command.optional(),
  args: z.array(text).default([]),
  step: z.string().optional(),
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
  content: z.unknown().optional(),
  error: error.optional(),
  times,
  takes_seconds: takes,
});
/** For steps of own types: their code is not run. */
const stepScript = z.strictObject({
  step: z.string().optional(),
  type: z.string().optional(),
  output: z.unknown().optional(),
  error: error.optional(),
  times,
  takes_seconds: takes,
});
/** An error that a step of any type raises instead of running: on that attempt, or that often, or always. */
const injected = z.strictObject({ step: z.string(), attempt: z.int().min(1).optional(), times, error });
const gateAnswer = z.union([
  text.transform((value) => ({ value, additional_input: {} as Record<string, string> })),
  z.strictObject({
    value: text,
    additional_input: z.record(z.string(), text).default({}),
    /** Who answers: `approvers` and `four_eyes` judge it. */
    by: z.string().optional(),
    takes_seconds: takes,
  }),
  /** Nobody answers: the run pauses there, or the gate's timeout passes. */
  z.strictObject({ nobody: z.literal(true) }),
]);

export const scenarioSchema = z.strictObject({
  workflow: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  skip: z.string().optional(),
  inputs: z.record(z.string(), z.unknown()).default({}),
  /** Who started the run: with `four_eyes` they may not answer. */
  started_by: z.string().optional(),
  env: z.record(z.string(), text).default({}),
  agent_scripts: z.record(z.string(), z.array(agentAnswer)).default({}),
  cli_scripts: z.array(cliScript).default([]),
  http_scripts: z.array(httpScript).default([]),
  mcp_scripts: z.array(mcpScript).default([]),
  step_scripts: z.array(stepScript).default([]),
  inject: z.array(injected).default([]),
  gates: z.record(z.string(), z.union([gateAnswer, z.array(gateAnswer)])).default({}),
  questions: z
    .record(z.string(), z.union([z.strictObject({ nobody: z.literal(true) }), z.record(z.string(), text)]))
    .default({}),
  strict: z.boolean().optional(),
  strict_gates: z.boolean().optional(),
  expected_trace: z.record(z.string(), z.unknown()).optional(),
});

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

export function loadScenario(file: string, cwd: string): LoadedScenario {
  const path = resolve(cwd, file);
  let text: string;
  try {
    text = readRegularFile(path).toString("utf8");
  } catch (problem) {
    throw new ScenarioError(`the scenario ${file} cannot be read: ${(problem as Error).message}`);
  }
  const {
    value: scenario,
    positions,
    findings,
    written,
  } = readForeignFile(scenarioSchema, { path, text, kind: "a scenario" });
  if (!scenario || !positions) {
    const shown = shownPath(path, cwd);
    const problems = findings.map(({ location: { line, column }, message }) => ({
      message,
      place: { file: shown, line, column },
    }));
    const said = problems.map(({ message, place: { line, column } }) => `${shown}:${line}:${column} ${message}`);
    throw new ScenarioError(`the scenario cannot be used:\n${said.join("\n")}`, problems);
  }
  const beside = resolve(dirname(path), scenario.workflow);
  const workflow = existsSync(beside) ? beside : resolve(cwd, scenario.workflow);
  const place = (at: NodePath): Place => {
    const { line, column } = typeof at.at(-1) === "number" ? positions.at(at) : positions.key(at);
    return { file: shownPath(path, cwd), line, column };
  };
  const input = (name: string): GivenInput => {
    const value = scenario.inputs[name];
    if (typeof value === "string") return { text: value };
    const text = typeof value === "number" || typeof value === "boolean" ? written?.(["inputs", name]) : undefined;
    return text === undefined ? { value } : { value, written: text };
  };
  return { file: path, workflow, scenario, input, place };
}
