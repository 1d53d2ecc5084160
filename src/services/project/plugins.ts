// Loads a project's plugins: modules whose exports are own step types, providers and policies. Called only for a project
// that is trusted.
import { existsSync } from "node:fs";
import { createRequire, register } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Policy } from "../../engine/guard/resilience/policy.ts";
import { isMapping } from "../../errors/mapping.ts";
import { STEP_TYPE_NAMES } from "../../language/schema/names.ts";
import { loadPackage } from "../../providers/load-package.ts";
import type { Provider } from "../../providers/provider.ts";
import { type Extensions, extensionsFrom } from "../extensions.ts";
import type { OwnStep } from "../own-steps/own-step.ts";
import { type Refused, refusal } from "../refusals.ts";
import type { Surroundings } from "../request.ts";
import type { Project } from "./read-project.ts";

export async function loadPlugins({ plugins }: Project, env: Surroundings["env"]): Promise<Extensions> {
  const steps: OwnStep[] = [];
  const providers: Provider[] = [];
  const policies: Policy[] = [];
  for (const { name, file } of plugins) {
    const before = steps.length + providers.length + policies.length;
    for (const given of exportsOf(await moduleOf(name, file, env))) {
      if (isStep(given)) steps.push(given.version === undefined ? { ...(given as OwnStep), version: 1 } : given);
      else if (isProvider(given)) providers.push(given);
      else if (isPolicy(given)) policies.push(given);
    }
    if (steps.length + providers.length + policies.length === before)
      throw broken(
        name,
        "it exports no step type, no provider and no policy. Make them with defineStep, defineProvider and definePolicy of segno, and export them",
      );
  }
  for (const { type } of steps)
    if ((STEP_TYPE_NAMES as readonly string[]).includes(type))
      throw refusal(
        `the plugins of segno.yaml bring a step type ${type}, which Segno has itself; give theirs another name`,
      );
  requireOnce(
    "step type",
    steps.map(({ type }) => type),
  );
  requireOnce(
    "provider",
    providers.map(({ name }) => name),
  );
  requireOnce(
    "policy",
    policies.map(({ name }) => name),
  );
  try {
    return await extensionsFrom({ steps, providers, policies });
  } catch (problem) {
    throw refusal(`a plugin of segno.yaml cannot be used: ${said(problem)}`, { errorType: "PluginError" });
  }
}

async function moduleOf(name: string, file: string, env: Surroundings["env"]): Promise<unknown> {
  lendLibrary(file);
  try {
    return await loadPackage(pathToFileURL(file).href);
  } catch (problem) {
    if (env.SEGNO_DEBUG && problem instanceof Error) process.stderr.write(`${problem.stack}\n`);
    throw broken(name, said(problem));
  }
}

const broken = (name: string, why: string): Refused =>
  refusal(`the plugin ${name} of segno.yaml could not be loaded: ${why}`, {
    errorType: "PluginError",
    hint: "SEGNO_DEBUG=1 shows where in the plugin it happened.",
  });

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

function requireOnce(what: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw refusal(`the plugins of segno.yaml bring two of the ${what} ${twice}; give one of them another name`, {
      errorType: "PluginError",
    });
}

/** Answers `import … from "segno"` where no package of that name is found. */
const HOOK = `
let home;
export const initialize = (url) => { home = url; };
export async function resolve(name, context, next) {
  if (name !== "segno" && !name.startsWith("segno/")) return next(name, context);
  try {
    return await next(name, context);
  } catch (problem) {
    const part = name === "segno" ? "index" : name.slice(6);
    if (problem.code !== "ERR_MODULE_NOT_FOUND") throw problem;
    return { url: new URL("./" + part + ".js", home).href, shortCircuit: true };
  }
}`;

let isLent = false;

/** A plugin of a project that has not installed Segno gets the one that runs: `npm install -g segno` is enough. */
function lendLibrary(file: string): void {
  if (isLent) return;
  try {
    createRequire(file).resolve("segno");
    return;
  } catch {
    // Not installed there.
  }
  // The built program lies in a folder beside its library.
  const library = new URL("../index.js", import.meta.url);
  if (!existsSync(fileURLToPath(library))) return;
  isLent = true;
  register(`data:text/javascript,${encodeURIComponent(HOOK)}`, { data: library.href });
}
