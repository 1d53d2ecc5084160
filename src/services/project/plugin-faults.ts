// Code of a plugin may begin something and not wait for it: a promise, a timer, a socket. When that fails, nobody catches
// it, and it would end a worker together with the runs of everybody else. So every call of a plugin's code is made in an
// async context that says whose it is; where that is lost, the stack tells.
import { AsyncLocalStorage } from "node:async_hooks";
import { fileURLToPath } from "node:url";
import type { Policy } from "../../engine/guard/resilience/policy.ts";
import { failed, type Outcome } from "../../errors/index.ts";
import { ownCodeFault } from "../../errors/own-code.ts";
import { judgeStraysBy, type StrayFault } from "../../errors/stray-fault.ts";
import type { Provider } from "../../providers/provider.ts";
import type { OwnStep, StepAttempt } from "../own-steps/own-step.ts";
import { LinkedSignal } from "./linked-signal.ts";
import type { NamedPlugin } from "./named-plugins.ts";
import type { Project } from "./read-project.ts";

/** What a plugin is doing: loading when there is no step. */
interface PluginWork {
  /** As it is written in segno.yaml. */
  readonly plugin: string;
  readonly step?: { readonly node: string; readonly run: string };
  /** Ends the step; absent when it has ended. */
  fail?: ((why: string, problem: unknown) => void) | undefined;
}

const current = new AsyncLocalStorage<PluginWork>();

export const inPlugin = <Given>(plugin: string, call: () => Given): Given => current.run({ plugin }, call);

export function stepOfPlugin(own: OwnStep, plugin: string): OwnStep {
  const { type, description, schema, version = 1, execute } = own;
  return {
    type,
    description,
    schema,
    version,
    execute(values, attempt) {
      const work: PluginWork = { plugin, step: { node: attempt.node, run: runOf(attempt) } };
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
export function listenForStrays({ plugins, covered }: Pick<Project, "plugins" | "covered">): void {
  const told = new Set<string>();
  judgeStraysBy((problem) => {
    const work = current.getStore() ?? workInStack(problem, plugins, covered);
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

function sentenceOn({ plugin, step, fail }: PluginWork, why: string): string {
  const where = step ? `, in the step ${step.node} of run ${step.run},` : "";
  const what = `The plugin ${plugin} of segno.yaml${where} began something that failed and that nobody waited for: ${why}.`;
  if (!step) return `${what} This goes on without it.`;
  return `${what} ${fail ? "The step fails with it." : "The step had ended by then, and its result stays."}`;
}

/** The key of an attempt begins with its run. */
const runOf = ({ idempotencyKey }: StepAttempt): string => idempotencyKey.split(":", 1)[0] ?? "";

function said(problem: unknown): string {
  const text = problem instanceof Error ? problem.message || problem.name : String(problem);
  return text.trim().replace(/\.$/, "");
}

/** Node loses the context of `queueMicrotask`, and of what is emitted by an object that something else made. */
function workInStack(
  problem: unknown,
  plugins: readonly NamedPlugin[],
  covered: Project["covered"],
): PluginWork | undefined {
  const stack = problem instanceof Error ? String(problem.stack) : "";
  const file = stack
    .split("\n")
    .map(fileOfFrame)
    .find((one) => one !== undefined && covered.has(one));
  if (file === undefined) return undefined;
  const plugin = plugins.find((one) => one.file === file) ?? plugins[0];
  return plugin && { plugin: plugin.name };
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
