// Reads a workflow file and the files it calls. Never throws for what a file holds: everything wrong is a finding.
import { resolve } from "node:path";
import type { StepTypes } from "../steps/types.ts";
import { Family } from "./family.ts";
import { inOrder } from "./found.ts";
import type { Finding, LoadedWorkflow, LoadWorld } from "./loaded.ts";
import { readSource } from "./source-file.ts";

export interface LoadOptions {
  /** Step types beside the language's own, by name. */
  readonly stepTypes?: StepTypes;
}

export interface Load {
  /** Absent when the file cannot be read as a workflow at all. */
  readonly workflow?: LoadedWorkflow;
  /** Of this file and of those it calls, in the order of the files. */
  readonly findings: readonly Finding[];
  /** Every file that was read, absolute path → text, also when there is no workflow. */
  readonly sources: ReadonlyMap<string, string>;
}

/**
 * Loads a workflow file: YAML, `!file`, environment, schema, sub-workflows. What it finds is about form; whether
 * routes lead somewhere and kinds are handled is for `validateWorkflow`.
 *
 * @example
 * const { workflow, findings } = loadWorkflow("/work/release.yaml", world);
 */
export function loadWorkflow(file: string, world: LoadWorld, options: LoadOptions = {}): Load {
  const path = resolve(file);
  const family = new Family(world, options.stepTypes);
  const read = readSource(path, world);
  if (!read.ok) family.report(read.rule, { file: path, line: 1, column: 1 }, read.message, []);
  const workflow = read.ok ? family.load(read.source, []) : undefined;
  return { ...(workflow ? { workflow } : {}), findings: inOrder(family.findings, path), sources: family.sources };
}
