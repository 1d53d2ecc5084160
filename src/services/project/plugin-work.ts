// Whose code runs: every call of a plugin's code is made in an async context that says so, and what it begins inherits it.
import { AsyncLocalStorage } from "node:async_hooks";
import type { StepAttempt } from "../own-steps/own-step.ts";

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

export const currentWork = (): PluginWork | undefined => current.getStore();

export const inWork = <Given>(work: PluginWork, call: () => Given): Given => current.run(work, call);

export const inPlugin = <Given>(plugin: string, call: () => Given): Given => inWork(workIn(plugin), call);

export const workIn = (plugin: string, attempt?: StepAttempt): PluginWork => ({
  code: codeOf(plugin),
  ...(attempt ? { step: { node: attempt.node, run: runOf(attempt) } } : {}),
});

/** By its name as segno.yaml has it. */
export const codeOf = (plugin: string): string => `The plugin ${plugin} of segno.yaml`;

/** The key of an attempt begins with its run. */
const runOf = ({ idempotencyKey }: StepAttempt): string => idempotencyKey.split(":", 1)[0] ?? "";

export const whoseWork = ({ code, step }: PluginWork): string =>
  step ? `${code}, in the step ${step.node} of run ${step.run},` : code;
