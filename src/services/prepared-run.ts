// What a run needs before its first step, whoever starts it: a valid file, inputs that fit, secrets that are known.
import { resolve } from "node:path";
import type { LoadedWorkflow } from "../language/loaded.ts";
import { type ValidateOptions, validateWorkflow } from "../language/validate.ts";
import { createRedactor, type Redactor, secretsFromEnvironment } from "../redact/index.ts";
import type { Result } from "../results/result.ts";
import { realFiles } from "./files.ts";
import { inputsFor } from "./given-inputs.ts";
import { invalidInputs, invalidWorkflow } from "./refusals.ts";
import type { GivenInput, Surroundings } from "./request.ts";
import { type SplitInputs, splitSecrets, textsOf } from "./secret-inputs.ts";

export interface PreparedRun {
  readonly workflow: LoadedWorkflow;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly split: SplitInputs;
  readonly redactor: Redactor;
}

export type Prepared =
  | { readonly ok: true; readonly run: PreparedRun }
  | { readonly ok: false; readonly result: Result };

export function prepareRun(
  file: string,
  given: Readonly<Record<string, GivenInput>>,
  surroundings: Surroundings,
  options: ValidateOptions = {},
): Prepared {
  const { cwd, env } = surroundings;
  const path = resolve(cwd, file);
  const { workflow, findings } = validateWorkflow(path, realFiles(env), options);
  if (!workflow || findings.some((finding) => finding.severity === "error"))
    return { ok: false, result: invalidWorkflow(findings, path, cwd) };
  return withInputs(workflow, given, surroundings);
}

export function withInputs(
  workflow: LoadedWorkflow,
  given: Readonly<Record<string, GivenInput>>,
  surroundings: Surroundings,
): Prepared {
  const resolved = inputsFor(workflow, given);
  if (!resolved.ok) return { ok: false, result: invalidInputs(resolved.problems, workflow, surroundings) };
  const split = splitSecrets(workflow, resolved.inputs);
  const redactor = createRedactor({
    secrets: secretsFromEnvironment(surroundings.env),
    shortSecrets: [...textsOf(split.secrets)],
  });
  return { ok: true, run: { workflow, inputs: resolved.inputs, split, redactor } };
}
