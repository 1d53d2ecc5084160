// Calls that cannot be meant: something that is no workflow, options that do not exist or are of another type. They throw
// a TypeError, so that a slip is not taken for a run without inputs.
import { calledWrong } from "../../base/errors/called-wrong.ts";
import { isMapping, unlessItThrows } from "../../base/errors/mapping.ts";
import { RUN_STATUSES, type RunSummaryStatus } from "../../base/results/result.ts";
import { isDefinition } from "../../services/own-steps/definition.ts";
import { STEP_TYPES } from "../../steps/types.ts";
import type { ResumeOptions, RunOptions } from "./options.ts";
import { calledAs, isThroughClient, shown } from "./wording.ts";

export type Wanted = readonly [words: string, fits: (value: unknown) => boolean];

export const isFunction = (value: unknown): boolean => typeof value === "function";
export const isText = (value: unknown): boolean => typeof value === "string";
export const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
export const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 1;
const listOf = (value: unknown, fits: (one: Readonly<Record<string, unknown>>) => boolean): boolean =>
  Array.isArray(value) && value.every((one) => isMapping(one) && fits(one));

const FLAG: Wanted = ["true or false", (value) => typeof value === "boolean"];
const FLAGS = "follow failOnUnhandled asChild strict coverage reindex all resumable dryRun yes".split(" ");

/** Options of other calls than `run` and `resume`. */
const MORE: Readonly<Record<string, Wanted>> = {
  ...Object.fromEntries(FLAGS.map((name) => [name, FLAG])),
  status: [`one of ${RUN_STATUSES.join(", ")}`, (value) => RUN_STATUSES.includes(value as RunSummaryStatus)],
  workflow: ["the name of a workflow", isText],
  limit: ["a whole number, 1 or more", isCount],
  keep: ["a whole number, 0 or more", (value) => Number.isInteger(value) && (value as number) >= 0],
  after: ["the number of an event", (value) => Number.isInteger(value)],
  speed: ["a number above 0", (value) => typeof value === "number" && value > 0],
  depth: [
    'a whole number of levels, or "all"',
    (value) => value === "all" || (Number.isInteger(value) && (value as number) >= 0),
  ],
  format: ["mermaid, dot or svg", (value) => ["mermaid", "dot", "svg"].includes(value as string)],
  run: ["the id of a run", isText],
  minErrorCoverage: ["a number from 0 to 100", (value) => typeof value === "number"],
  onScenario: ["a function that is given each report", isFunction],
  folder: ["the path of a folder", isText],
  olderThan: ["an age such as 30d", isText],
  ids: ["a list of ids", isTexts],
  kind: ["a kind, or a pattern with *", isText],
  allow: ["a list of kinds, or patterns with *", isTexts],
  since: ["an age such as 2h", isText],
  until: ["a time, or an age such as 2h", isText],
  gate: ["the name of the step that asks", isText],
  answers: ["an object with texts by name", isMapping],
  by: ["who answers, as text", isText],
  attempts: ["a whole number, 1 or more", isCount],
  model: ["the name of a model", isText],
};

/** A Map has no fields, and a proxy may refuse to list them. */
const isReadable = (value: unknown): boolean =>
  unlessItThrows(() => isMapping(value) && !(value instanceof Map) && Array.isArray(Object.keys(value)), false);

export const isListener = (value: unknown): boolean =>
  isFunction(value) || (isMapping(value) && Object.values(value).every(isFunction));

export const SIGNAL: Wanted = ["an AbortSignal", (value) => value instanceof AbortSignal];

export const CLOCK: Wanted = [
  "an object with now() and sleep()",
  (value) => isMapping(value) && isFunction(value.now) && isFunction(value.sleep),
];

const OPTIONS: Readonly<Record<keyof RunOptions | keyof ResumeOptions, Wanted>> = {
  cwd: ["the path of a folder", isText],
  env: ["an object with variables by name", isMapping],
  steps: [
    "a list of what defineStep gave",
    (value) => listOf(value, ({ type, execute }) => isText(type) && isFunction(execute)),
  ],
  providers: [
    "a list of what defineProvider gave",
    (value) => listOf(value, ({ name, call }) => isText(name) && isFunction(call)),
  ],
  workflows: ["a list of what defineWorkflow gave", (value) => Array.isArray(value) && value.every(isDefinition)],
  inputs: ["an object with inputs by name", isReadable],
  store: ["what openStore gave", (value) => isMapping(value) && isText(value.home)],
  clock: CLOCK,
  on: ["a function that is given each event, or an object with a function for each type", isListener],
  signal: SIGNAL,
  ask: ["a function that is given each question", isFunction],
  maxIterations: ["a whole number, 1 or more", isCount],
  maxVisits: ["a whole number, 1 or more", isCount],
  from: ["the name of a step", isText],
  force: FLAG,
  failedItems: FLAG,
  changedFiles: FLAG,
  file: ["the path of a workflow file", isText],
  provider: ["the name of a provider", isText],
  skipGates: FLAG,
  scenario: ["the path of a scenario", isText],
  name: ["a name, as text", isText],
  durability: ["process or power", (value) => value === "process" || value === "power"],
  priority: ["high, normal or low", (value) => ["high", "normal", "low"].includes(value as string)],
};

const ONLY_FOR_RESUME: readonly string[] = [
  "from",
  "force",
  "file",
  "failedItems",
  "changedFiles",
] satisfies (keyof ResumeOptions)[];
const NOT_FOR_RESUME: readonly string[] = ["scenario", "durability", "priority", "name"] satisfies (keyof RunOptions)[];

/** Options of `validate` and `loadWorkflow` are among those of `run`, which may be given to them as well. */
export async function checkOptions(
  call: "run" | "resume" | "validate" | "loadWorkflow",
  given: unknown,
): Promise<void> {
  const names = Object.keys(OPTIONS).filter(
    (name) => !(call === "resume" ? NOT_FOR_RESUME : ONLY_FOR_RESUME).includes(name),
  );
  await checkGiven(call, given, call === "validate" ? [...names, "asChild", "strict"] : names);
}

/** That every option is one of `known`, and what it should be. */
export async function checkGiven(name: string, given: unknown, known: readonly string[]): Promise<void> {
  if (!isMapping(given)) throw calledWrong(`the options of ${name} are an object, but ${shown(given)} was given`);
  const call = calledAs(given, name);
  const all: Readonly<Record<string, Wanted>> = { ...MORE, ...OPTIONS };
  for (const [option, value] of Object.entries(given)) {
    if (!known.includes(option)) {
      if (isThroughClient(given) && OF_CLIENT.includes(option)) continue;
      const { didYouMean, nearest } = await import("../../base/errors/nearest.ts");
      const meant = didYouMean(nearest(option, known, 1));
      const own = isThroughClient(given) ? known.filter((one) => !OF_CLIENT.includes(one)) : known;
      throw calledWrong(`${call} has no option \`${option}\`.${meant || has(own)}`);
    }
    const wanted = all[option];
    if (wanted && value !== undefined && !wanted[1](value))
      throw calledWrong(`the option \`${option}\` of ${call} is ${wanted[0]}, but ${shown(value)} was given`);
  }
}

/** A call about one thing, which is named by a text, and the options of the call. */
export async function checkCall(
  name: string,
  [what, value]: readonly [string, unknown],
  given: unknown,
  known: readonly string[],
): Promise<void> {
  checkText(calledAs(given, name), what, value);
  await checkGiven(name, given, known);
}

const has = (names: readonly string[]): string => (names.length > 0 ? ` It has ${names.join(", ")}.` : " It has none.");

/** Options that calls of a client have from it; those that do not need one leave it. */
const OF_CLIENT: readonly string[] = ["store", "steps", "providers", "workflows", "env", "cwd", "clock"];

export const STORE: Wanted = [
  "a folder, the address of a Postgres, or what openStore gave",
  (value) => isText(value) || (isMapping(value) && isText(value.home)),
];

export const checkClientOptions = (given: unknown): void =>
  checkMade("createSegno", given, {
    ...Object.fromEntries([...OF_CLIENT, "ask"].map((name) => [name, OPTIONS[name as keyof RunOptions]])),
    store: STORE,
  });

/** The options of something that is made, and kept. */
export function checkMade(call: string, given: unknown, options: Readonly<Record<string, Wanted>>): void {
  if (!isMapping(given)) throw calledWrong(`the options of ${call} are an object, but ${shown(given)} was given`);
  for (const [option, value] of Object.entries(given)) {
    const wanted = options[option];
    if (!wanted) throw calledWrong(`${call} has no option \`${option}\`.${has(Object.keys(options))}`);
    if (value !== undefined && !wanted[1](value))
      throw calledWrong(`the option \`${option}\` of ${call} is ${wanted[0]}, but ${shown(value)} was given`);
  }
}

export function checkWorkflow(call: string, workflow: unknown): void {
  if (typeof workflow === "string" || isDefinition(workflow)) return;
  if (isMapping(workflow) && isText(workflow.file) && isMapping(workflow.options)) return;
  throw calledWrong(
    `${call} takes the path of a workflow file, or what defineWorkflow or loadWorkflow gave, but ${shown(workflow)} was given`,
  );
}

export const checkText = (call: string, what: string, value: unknown): void => checkTaken(call, [what, isText], value);

export function checkTaken(call: string, [words, fits]: Wanted, value: unknown): void {
  if (!fits(value)) throw calledWrong(`${call} takes ${words}, but ${shown(value)} was given`);
}

const SPEC: Readonly<Record<string, Wanted>> = {
  type: ["the name that files use, as text", isText],
  description: ["one line of text", isText],
  schema: ["the JSON Schema of an object", isMapping],
  version: ["a whole number", (value) => value === undefined || Number.isInteger(value)],
  execute: ["a function that does the work", isFunction],
};

export function checkStepSpec(spec: unknown): void {
  checkSpec("defineStep", spec, SPEC);
  const { type } = spec as { readonly type: string };
  if (!/^[a-z][a-z0-9_]*$/.test(type))
    throw calledWrong(`a step type is a word of lower-case letters, digits and _, and ${JSON.stringify(type)} is none`);
  if (Object.hasOwn(STEP_TYPES, type))
    throw calledWrong(`${type} is a step type that Segno has; give yours another name, such as my_${type}`);
}

/** What has a name, and a function that does something. */
export const checkNamedSpec = (
  call: string,
  spec: unknown,
  name: string,
  functions: Readonly<Record<string, string>>,
) =>
  checkSpec(call, spec, {
    name: [`${name}, as text that is not empty`, (value) => isText(value) && value !== ""],
    ...Object.fromEntries(Object.entries(functions).map(([field, words]) => [field, [words, isFunction] as const])),
  });

function checkSpec(call: string, spec: unknown, fields: Readonly<Record<string, Wanted>>): void {
  if (!isMapping(spec)) throw calledWrong(`${call} takes an object, but ${shown(spec)} was given`);
  for (const [name, [words, fits]] of Object.entries(fields))
    if (!fits(spec[name]))
      throw calledWrong(
        `\`${name}\` of ${call} is ${words}, but ${spec[name] === undefined ? "it is missing" : `${shown(spec[name])} was given`}`,
      );
}
