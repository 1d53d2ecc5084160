// Loads a project's plugins: modules whose exports are own step types, providers, policies and graders. Called only for a
// project that is trusted.
import { Console } from "node:console";
import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { isMapping } from "../../base/errors/mapping.ts";
import type { Policy } from "../../engine/guard/resilience/policy.ts";
import type { OwnGrader } from "../../features/evals/graders/grade.ts";
import { PROVIDERS } from "../../language/schema/names.ts";
import { loadPackage } from "../../providers/load-package.ts";
import type { Provider } from "../../providers/provider.ts";
import { STEP_TYPE_NAMES } from "../../steps/types.ts";
import { isCodeFile, isDefinition, type StepFunction } from "../own-steps/definition.ts";
import type { OwnStep } from "../own-steps/own-step.ts";
import { type Refused, refusal } from "../refusals.ts";
import { type Extensions, extensionsFrom } from "../session/extensions.ts";
import type { Session } from "../session/session.ts";
import { definedFiles } from "./defined-files.ts";
import { ALL_LOADED, closeGate, loadingOf } from "./gate/index.ts";
import { graderOfPlugin, policyOfPlugin, providerOfPlugin, stepOfPlugin } from "./of-plugin.ts";
import { inGoodTime, inPlugin, keepPluginsFromExit, listenForStrays } from "./plugin-work.ts";
import type { Project } from "./read-project.ts";

export interface PluginLoader {
  readonly env: Session["env"];
  /** How long each may take. */
  readonly limitMs: number;
  /** Where what they say goes. */
  readonly print: (text: string) => void;
}

export const loadPlugins = (project: Project, loader: PluginLoader): Promise<Extensions> =>
  guarded(project, { names: project.plugins.map(({ name }) => name), loader }, (begins) =>
    extensionsOf(project.plugins, loader, begins),
  );

/** Loads a workflow that is code, as a plugin is loaded: from what trust covers, and its functions are bounded. */
export const loadDefinition = (
  project: Project,
  file: string,
  loader: PluginLoader,
): Promise<Required<Pick<Extensions, "defined" | "functions">>> => {
  const name = relative(project.dir, file);
  return guarded(project, { names: [name], loader }, async (begins) => {
    begins(0);
    const module = await inPlugin(name, () => moduleOf(name, file, loader));
    const definition = isMapping(module) ? module.default : undefined;
    if (!isDefinition(definition))
      throw broken(name, "it exports no workflow. Make one with defineWorkflow of segno/workflow: export default …");
    const by = { plugin: name, warn: (sentence: string) => loader.print(`${sentence}\n`) };
    try {
      const { defined, functions } = definedFiles(definition, file);
      const bounded = (run: StepFunction): StepFunction =>
        stepOfPlugin({ type: name, description: "", schema: {}, version: 1, execute: run }, by).execute as StepFunction;
      return { defined, functions: new Map([...functions].map(([key, run]) => [key, bounded(run)])) };
    } catch (problem) {
      throw broken(name, said(problem));
    }
  });
};

interface Guarded {
  readonly names: readonly string[];
  readonly loader: PluginLoader;
}

/** Loading code changes the process for the rest of its life, once. */
let isGuarded = false;

async function guarded<Given>(
  project: Project,
  { names, loader }: Guarded,
  load: (begins: (index: number) => void) => Promise<Given>,
): Promise<Given> {
  if (isGuarded) return load(() => {});
  isGuarded = true;
  const { dir, covered } = project;
  const loading = loadingOf(names, loader.limitMs);
  closeGate(dir, covered, loading);
  printTo(loader.print);
  listenForStrays(project);
  const areLoaded = keepPluginsFromExit(covered);
  try {
    return await load((index) => Atomics.store(loading.state, 0, index + 1));
  } finally {
    Atomics.store(loading.state, 0, ALL_LOADED);
    areLoaded();
  }
}

/** `begins` hears of each plugin before it is loaded. */
async function extensionsOf(
  plugins: Project["plugins"],
  loader: PluginLoader,
  begins: (index: number) => void,
): Promise<Extensions> {
  const steps: OwnStep[] = [];
  const providers: Provider[] = [];
  const policies: Policy[] = [];
  const graders: OwnGrader[] = [];
  const count = (): number => steps.length + providers.length + policies.length + graders.length;
  for (const [index, { name, file }] of plugins.entries()) {
    begins(index);
    const by = { plugin: name, warn: (sentence: string) => loader.print(`${sentence}\n`) };
    const before = count();
    for (const given of exportsOf(await inPlugin(name, () => moduleOf(name, file, loader)))) {
      if (isStep(given)) steps.push(stepOfPlugin(given, by));
      else if (isProvider(given)) providers.push(providerOfPlugin(given, by));
      else if (isPolicy(given)) policies.push(policyOfPlugin(given, by));
      else if (isGrader(given)) graders.push(graderOfPlugin(given, by));
    }
    if (count() === before)
      throw broken(
        name,
        "it exports no step type, no provider, no policy and no grader. Make them with defineStep, defineProvider, definePolicy and defineGrader of segno, and export them",
      );
  }
  const types = steps.map(({ type }) => type);
  const names = namesOf(providers);
  refuseTaken("step type", types, STEP_TYPE_NAMES);
  // `anthropic` in a file always means the built-in provider, with its key and its prices.
  refuseTaken("provider", names, PROVIDERS);
  requireOnce("step type", types);
  requireOnce("provider", names);
  requireOnce("policy", namesOf(policies));
  requireOnce("grader", namesOf(graders));
  try {
    return await extensionsFrom({ steps, providers, policies, graders });
  } catch (problem) {
    throw refusal(`a plugin of segno.yaml cannot be used: ${said(problem)}`, { errorType: "PluginError" });
  }
}

async function moduleOf(name: string, file: string, { env, limitMs, print }: PluginLoader): Promise<unknown> {
  try {
    return await inGoodTime(() => loadPackage(pathToFileURL(realpathSync(file)).href), limitMs);
  } catch (problem) {
    if (env.SEGNO_DEBUG === "1" && problem instanceof Error) print(`${problem.stack}\n`);
    throw broken(name, `${placeIn(file, problem)}${said(problem)}`);
  }
}

const broken = (name: string, why: string): Refused =>
  refusal(`the ${isCodeFile(name) ? "workflow" : "plugin"} ${name} of segno.yaml could not be loaded: ${why}`, {
    errorType: "PluginError",
    hint: `SEGNO_DEBUG=1 shows where in the ${isCodeFile(name) ? "workflow" : "plugin"} it happened.`,
  });

/** Where in a workflow something was thrown: `line 3: `. */
function placeIn(file: string, problem: unknown): string {
  if (!isCodeFile(file) || !(problem instanceof Error)) return "";
  const frame = String(problem.stack)
    .split("\n")
    .find((line) => line.includes(realpathSync(file)));
  const [, line] = /:(\d+):\d+\)?$/.exec(frame ?? "") ?? [];
  return line === undefined ? "" : `line ${line}: `;
}

const said = (problem: unknown): string =>
  problem instanceof Error ? problem.message || problem.name : String(problem);

/** Every export, and what lists among them hold. */
const exportsOf = (module: unknown): readonly unknown[] =>
  typeof module === "object" && module !== null ? Object.values(module).flat() : [];

const isStep = (given: unknown): given is OwnStep =>
  isMapping(given) && typeof given.type === "string" && isMapping(given.schema) && typeof given.execute === "function";
const isProvider = (given: unknown): given is Provider =>
  isMapping(given) && typeof given.name === "string" && typeof given.call === "function";
const isPolicy = (given: unknown): given is Policy =>
  isMapping(given) && typeof given.name === "string" && typeof given.evaluate === "function";
const isGrader = (given: unknown): given is OwnGrader =>
  isMapping(given) && typeof given.name === "string" && typeof given.grade === "function";

function refuseTaken(what: string, names: readonly string[], own: readonly string[]): void {
  const taken = names.find((name) => own.includes(name));
  if (taken !== undefined)
    throw refusal(
      `the plugins of segno.yaml bring a ${what} ${taken}, which Segno has itself; give theirs another name`,
      { errorType: "PluginError" },
    );
}

const namesOf = (all: readonly { readonly name: string }[]): readonly string[] => all.map(({ name }) => name);

function requireOnce(what: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw refusal(`the plugins of segno.yaml bring two of the ${what} ${twice}; give one of them another name`, {
      errorType: "PluginError",
    });
}

// What plugins print goes to stderr: stdout holds the answer, which programs read, and the protocol of `segno mcp`. It goes
// there as Segno's own words do, so that the log of a CI finds no command in it.

const PRINTING = [
  "log",
  "info",
  "debug",
  "error",
  "warn",
  "trace",
  "assert",
  "dir",
  "dirxml",
  "table",
  "group",
  "groupCollapsed",
  "groupEnd",
  "count",
  "countReset",
  "time",
  "timeEnd",
  "timeLog",
] as const;

/** For the whole process: a step of a plugin prints while its run goes on. Segno itself prints without `console`. */
function printTo(print: (text: string) => void): void {
  const stream = new Writable({
    decodeStrings: false,
    write(text, _, done) {
      print(String(text));
      done();
    },
  });
  const aside = new Console({ stdout: stream, stderr: stream });
  for (const name of PRINTING) Object.assign(console, { [name]: aside[name].bind(aside) });
}
