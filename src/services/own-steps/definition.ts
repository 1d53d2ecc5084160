// A workflow that is defined in code: what a workflow file would say, and the functions that some of its steps are.
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Outcome } from "../../base/errors/index.ts";
import type { Mapping } from "../../base/errors/mapping.ts";
import { isMapping } from "../../base/errors/mapping.ts";
import type { StepAttempt } from "./own-step.ts";

/** Marks what `defineWorkflow` gave, also that of another copy of Segno. */
export const DEFINED: unique symbol = Symbol.for("segno.workflow") as never;

/** The step type of functions; files cannot use it. */
export const FUNCTION = "function";

/** A function that is a step, called with its rendered inputs. */
export type StepFunction = (given: unknown, attempt: StepAttempt) => Promise<Outcome> | Outcome;

export interface DefinitionParts {
  readonly name: string;
  /** Where it is written, as a path or a `file:` address; absent when it does not say. */
  readonly file?: string | undefined;
  /** The workflow file. A sub-workflow that is a definition itself is named by `#` and its name. */
  readonly document: Mapping;
  /** By the name that the field `function` of a step has: `release.build`. */
  readonly functions: ReadonlyMap<string, StepFunction>;
  readonly children: readonly Definition[];
}

export interface Definition {
  readonly [DEFINED]: DefinitionParts;
}

export const isDefinition = (given: unknown): given is Definition =>
  (isMapping(given) || typeof given === "function") && DEFINED in (given as object);

/** Where it stands: where it says, else in the working folder, under its name. */
export function definitionFile(definition: Definition, cwd = process.cwd()): string {
  const { name, file } = definition[DEFINED];
  if (file?.startsWith("file:")) return fileURLToPath(file);
  return resolve(cwd, file ?? `${name}.workflow.ts`);
}

/** Files that are code: their default export is a definition. */
export const isCodeFile = (file: string): boolean => /\.workflow\.m?[jt]s$/.test(file);
