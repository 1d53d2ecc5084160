// Runs plugin code. Each call is made in an async context that names the plugin, and everything that it starts inherits
// the context. A plugin loads within its time limit or not at all and cannot end the process; a promise that it starts
// and does not await fails its own step.

import { AsyncLocalStorage } from "node:async_hooks";
import { existsSync, realpathSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import {
  isLeavingProcess,
  judgeStraysBy,
  type StrayFault,
  whenNothingIsLeft,
} from "../../base/errors/leave-process.ts";
import { unlessItThrows } from "../../base/errors/mapping.ts";
import type { StepAttempt } from "../own-steps/own-step.ts";
import type { Project } from "./read-project.ts";

/** What a plugin is doing: loading, or answering for a provider or a policy, when there is no step. */
export interface PluginWork {
  /** Whose code it is, as a sentence begins. */
  readonly code: string;
  readonly step?: { readonly node: string; readonly run: string };
  /** Ends the step; absent when it has ended. */
  fail?: ((why: string, problem: unknown) => void) | undefined;
  /** It called something that would have ended the process: whatever else it gives, it has failed. */
  triedToEnd?: Error;
}

const current = new AsyncLocalStorage<PluginWork>();

const currentWork = (): PluginWork | undefined => current.getStore();

export const inWork = <Given>(work: PluginWork, call: () => Given): Given => current.run(work, call);

export const inPlugin = <Given>(plugin: string, call: () => Given): Given => inWork(workIn(plugin), call);

export const workIn = (plugin: string, attempt?: StepAttempt): PluginWork => ({
  code: codeOf(plugin),
  ...(attempt ? { step: { node: attempt.node, run: runOf(attempt) } } : {}),
});

/** By its name as segno.yaml has it. */
const codeOf = (plugin: string): string => `The plugin ${plugin} of segno.yaml`;

/** The key of an attempt begins with its run. */
const runOf = ({ idempotencyKey }: StepAttempt): string => idempotencyKey.split(":", 1)[0] ?? "";

export const whoseWork = ({ code, step }: PluginWork): string =>
  step ? `${code}, in the step ${step.node} of run ${step.run},` : code;

/**
 * Loading a plugin runs foreign code. One that never settles leaves Node with nothing to do, and Node then ends the
 * process with exit code 0 and no word: to a pipeline that is a success. One that ends the process would do the same,
 * and keep commands from their work that need no plugin at all. What `load` gives; else a reason: nothing is left that
 * could end it, it takes too long, or it wants to end the process.
 */
export async function inGoodTime<T>(load: () => Promise<T>, limitMs: number): Promise<T> {
  let giveUp: (why: Error) => void = () => {};
  const stopped = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  const ranDry = () => giveUp(new Error("it awaits something that never comes, so it never finishes loading"));
  const { exit } = process;
  let isLoading = true;
  const stay = (code?: number | string | null): never => {
    // Kept by a plugin for later.
    if (!isLoading) return process.exit(code);
    const why = new Error("it ended the process while it was loaded (process.exit)");
    giveUp(why);
    throw why;
  };
  const limit = setTimeout(() => giveUp(new Error(`it did not finish loading in ${limitMs / 1000} seconds`)), limitMs);
  // An open timer would keep the process from noticing that nothing else is left.
  limit.unref();
  const settled = whenNothingIsLeft(ranDry);
  // Errors of a timer or a stream that the plugin began: no other code runs while it loads.
  process.setUncaughtExceptionCaptureCallback(giveUp);
  process.exit = stay;
  try {
    return await Promise.race([stopped, load()]);
  } finally {
    isLoading = false;
    clearTimeout(limit);
    settled();
    process.setUncaughtExceptionCaptureCallback(null);
    process.exit = exit;
  }
}

/** What a plugin began and did not await would end a worker with all its runs: here it is found whose it was. */
export function listenForStrays({ plugins, covered, dir }: Project): void {
  const names = new Map(plugins.map(({ name, file }) => [existsSync(file) ? realpathSync(file) : file, name]));
  const top = realpathSync(dir);
  const codeIn = (file: string): string => {
    const name = names.get(file) ?? (plugins.length === 1 ? plugins[0]?.name : undefined);
    if (name !== undefined) return codeOf(name);
    return `${relative(top, file)}, which plugins of segno.yaml take in,`;
  };
  const reported = new Set<string>();
  judgeStraysBy((problem) => {
    const file = currentWork() ? undefined : fileInStack(problem, covered);
    const work = file === undefined ? currentWork() : { code: codeIn(file) };
    if (!work) return undefined;
    const sentence = sentenceOn(work, said(problem));
    work.fail?.(said(problem), problem);
    // A timer fails again and again.
    if (reported.has(sentence)) return {};
    if (reported.size >= MOST_REPORTED) reported.clear();
    reported.add(sentence);
    return { sentence } satisfies StrayFault;
  });
}

const MOST_REPORTED = 1000;

function sentenceOn(work: PluginWork, why: string): string {
  const { step, fail } = work;
  const what = `${whoseWork(work)} began something that failed and that no code waited for: ${why}.`;
  if (!step) return `${what} This goes on without it.`;
  return `${what} ${fail ? "The step fails with it." : "The step had ended by then, and its result stays."}`;
}

function said(problem: unknown): string {
  const text = problem instanceof Error ? problem.message || problem.name : problem;
  // Anything can be thrown, also what cannot be made a text.
  return (typeof text === "string" ? text : inspect(text)).trim().replace(/\.$/, "");
}

// A plugin that ends the process would end everybody's runs with it, on one worker after the other, and a command without an
// answer. What ends a process throws in a plugin's code instead; Segno itself leaves by `leaveProcess`.

/** `process.reallyExit` is what Node's own `process.exit` calls; its types do not have it. */
type Ending = NodeJS.Process & { reallyExit(code?: number): never };

/** For the rest of the process. Gives what is to be called once plugins have been loaded. */
export function keepPluginsFromExit(covered: Project["covered"]): () => void {
  const ending = process as Ending;
  const { exit, abort, kill, reallyExit } = ending;
  let areLoaded = false;
  const refuse = (call: string): void => {
    if (isLeavingProcess()) return;
    const problem = new Error(
      `${call} was called, which would end this program and every run in it; throw an error or return failed(…) instead`,
    );
    const work = currentWork();
    if (!work && fileInStack(problem, covered) === undefined) return;
    if (work) work.triedToEnd ??= problem;
    throw problem;
  };
  ending.exit = (code) => {
    refuse(`process.exit(${code ?? ""})`);
    return exit.call(process, code);
  };
  ending.reallyExit = (code) => {
    // A plugin that blocks its thread while it is loaded is ended in the middle of its own code.
    if (areLoaded) refuse(`process.reallyExit(${code ?? ""})`);
    return reallyExit.call(process, code);
  };
  ending.abort = () => {
    refuse("process.abort()");
    return abort.call(process);
  };
  ending.kill = (pid, signal) => {
    // With signal 0 one only asks whether a process is there; 0 and negative numbers are groups of processes.
    if (signal !== 0 && (pid === 0 || Math.abs(pid) === process.pid)) refuse(`process.kill(${pid})`);
    return kill.call(process, pid, signal);
  };
  // Also for `import { exit } from "node:process"`.
  syncBuiltinESMExports();
  return () => {
    areLoaded = true;
  };
}

// Node loses the async context of `queueMicrotask`, and of what is emitted by an object that something else made. Then the
// stack tells whose code it was.

/** The first file of plugins in the stack. */
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
  return unlessItThrows(() => fileURLToPath(place), undefined);
}
