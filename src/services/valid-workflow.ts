// A workflow file that has no errors; one that has is refused with all that is wrong.
import { resolve } from "node:path";
import type { LoadedWorkflow, LoadWorld } from "../language/loaded.ts";
import { type ValidateOptions, validateWorkflow } from "../language/validate.ts";
import { realFiles } from "./files.ts";
import { invalidWorkflow } from "./refusals.ts";
import type { Surroundings } from "./request.ts";

/** With the files that it calls. */
export function validWorkflow(
  file: string,
  { cwd, env }: Surroundings,
  options: ValidateOptions = {},
  files: LoadWorld = realFiles(env),
): LoadedWorkflow {
  const path = resolve(cwd, file);
  const { workflow, findings } = validateWorkflow(path, files, options);
  if (!workflow || findings.some((finding) => finding.severity === "error")) throw invalidWorkflow(findings, path, cwd);
  return workflow;
}
