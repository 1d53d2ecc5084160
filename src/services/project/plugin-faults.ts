// Code of a plugin may begin something and not wait for it: a promise, a timer, a socket. When that fails, nobody catches
// it, and it would end a worker together with the runs of everybody else. So every call of a plugin's code is made in an
// async context that says whose it is; where that is lost, the stack tells.
import { AsyncLocalStorage } from "node:async_hooks";
import { existsSync, realpathSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import type { Policy } from "../../engine/guard/resilience/policy.ts";
import { failed, type Outcome } from "../../errors/index.ts";
import { ownCodeFault } from "../../errors/own-code.ts";
import { judgeStraysBy, type StrayFault } from "../../errors/stray-fault.ts";
import type { Provider } from "../../providers/provider.ts";
import type { OwnStep, StepAttempt } from "../own-steps/own-step.ts";
import { LinkedSignal } from "./linked-signal.ts";
import type { Project } from "./read-project.ts";

/** What a plugin is doing: loading, or answering for a provider or a policy, when there is no step. */
interface PluginWork {
  /** Whose code it is, as a sentence begins. */
  readonly code: string;
  readonly step?: { readonly node: string; readonly run: string };
  /** Ends the step; absent when it has ended. */
  fail?: ((why: string, problem: unknown) => void) | undefined;
}

const current = new AsyncLocalStorage<PluginWork>();

export const inPlugin = <Given>(plugin: string, call: () => Given): Given =>
  current.run({ code: codeOf(plugin) }, call);

/** By its name as segno.yaml has it. */
const codeOf = (plugin: string): string => `The plugin ${plugin} of segno.yaml`;

export function stepOfPlugin(own: OwnStep, plugin: string): OwnStep {
  const { type, description, schema, version = 1, execute } = own;
  return {
    type,
    description,
    schema,
    version,
    execute(values, attempt) {
      const work: PluginWork = { code: codeOf(plugin), step: { node: attempt.node, run: runOf(attempt) } };
      const signal = new LinkedSignal(attempt.signal);
      const given = current.run(work, () => execute.call(own, values, signal.in(attempt)));
      return given instanceof Promise ? untilFailed(given, type, work, signal) : given;
    },
  };
}

async function untilFailed(
  given: Promise<Outcome>,
  type: string,
  work: PluginWork,
  signal: LinkedSignal,
): Promise<Outcome> {
  const code = `\`execute\` of the step type ${type}`;
  const broken = new Promise<Outcome>((end) => {
    work.fail = (why, problem) => {
      const message = `${code} began something that failed and that it did not wait for: ${why}`;
      end(failed(ownCodeFault(code, message, problem)));
      // What it still does is nobody's any more.
      signal.abort(problem);
    };
  });
  try {
    return await Promise.race([given, broken]);
  } finally {
    work.fail = undefined;
    signal.release();
  }
}

export const providerOfPlugin = (own: Provider, plugin: string): Provider => ({
  name: own.name,
  defaultModel: own.defaultModel,
  call: (request, hooks) => inPlugin(plugin, () => own.call(request, hooks)),
});

export const policyOfPlugin = (own: Policy, plugin: string): Policy => ({
  name: own.name,
  description: own.description,
  evaluate: (context) => inPlugin(plugin, () => own.evaluate(context)),
});

/** For the rest of the process. */
export function listenForStrays({ plugins, covered, dir }: Project): void {
  const names = new Map(plugins.map(({ name, file }) => [existsSync(file) ? realpathSync(file) : file, name]));
  const top = realpathSync(dir);
  const codeIn = (file: string): string => {
    const name = names.get(file) ?? (plugins.length === 1 ? plugins[0]?.name : undefined);
    if (name !== undefined) return codeOf(name);
    return `${relative(top, file)}, which plugins of segno.yaml take in,`;
  };
  const told = new Set<string>();
  judgeStraysBy((problem) => {
    const file = current.getStore() ? undefined : fileInStack(problem, covered);
    const work = file === undefined ? current.getStore() : { code: codeIn(file) };
    if (!work) return undefined;
    const sentence = sentenceOn(work, said(problem));
    work.fail?.(said(problem), problem);
    // A timer fails again and again.
    if (told.has(sentence)) return {};
    if (told.size >= MOST_TOLD) told.clear();
    told.add(sentence);
    return { sentence } satisfies StrayFault;
  });
}

const MOST_TOLD = 1000;

function sentenceOn({ code, step, fail }: PluginWork, why: string): string {
  const where = step ? `, in the step ${step.node} of run ${step.run},` : "";
  const what = `${code}${where} began something that failed and that nobody waited for: ${why}.`;
  if (!step) return `${what} This goes on without it.`;
  return `${what} ${fail ? "The step fails with it." : "The step had ended by then, and its result stays."}`;
}

/** The key of an attempt begins with its run. */
const runOf = ({ idempotencyKey }: StepAttempt): string => idempotencyKey.split(":", 1)[0] ?? "";

function said(problem: unknown): string {
  const text = problem instanceof Error ? problem.message || problem.name : problem;
  // Anything can be thrown, also what cannot be made a text.
  return (typeof text === "string" ? text : inspect(text)).trim().replace(/\.$/, "");
}

/** Node loses the context of `queueMicrotask`, and of what is emitted by an object that something else made. */
function fileInStack(problem: unknown, covered: Project["covered"]): string | undefined {
  const stack = problem instanceof Error ? String(problem.stack) : "";
  return stack
    .split("\n")
    .map(fileOfFrame)
    .find((file) => file !== undefined && covered.has(file));
}

/** `at shout (file:///work/plugins.mjs:3:5)`, `at async /work/lib.cjs:1:2`. */
function fileOfFrame(line: string): string | undefined {
  const place = /^\s+at (?:.*\(|async )?(.+):\d+:\d+\)?$/.exec(line)?.[1];
  if (!place?.startsWith("file:")) return place;
  try {
    return fileURLToPath(place);
  } catch {
    return undefined;
  }
}
