// `segno errors`: which errors a workflow can raise, who takes each, and which leave the file.
import { resolve } from "node:path";
import { type ErrorFlow, errorFlow } from "../language/analysis/index.ts";
import { validateWorkflow } from "../language/validate.ts";
import { type Head, head } from "../results/index.ts";
import { realFiles } from "./files.ts";
import { invalidWorkflow } from "./refusals.ts";
import type { Surroundings } from "./request.ts";
import { shownPath } from "./shown-path.ts";

export interface ErrorsAnswer extends Head, ErrorFlow {
  readonly file: string;
  readonly workflow: string | null;
}

export interface ErrorsRequest extends Surroundings {
  readonly file: string;
  /** A kind that can leave the file is a failure, for CI. */
  readonly failOnUnhandled?: boolean;
}

export function listErrors({ file, cwd, env, failOnUnhandled }: ErrorsRequest): ErrorsAnswer {
  const path = resolve(cwd, file);
  const { workflow, findings } = validateWorkflow(path, realFiles(env), { asChild: true });
  const shown = shownPath(path, cwd);
  if (!workflow || findings.some((finding) => finding.severity === "error"))
    return { ...invalidWorkflow(findings, path, cwd), file: shown, workflow: null, steps: [], unhandled: [] };
  const flow = errorFlow(workflow);
  const failed = failOnUnhandled === true && flow.unhandled.length > 0;
  const message = `${flow.unhandled.length} kinds of error can leave ${shown}`;
  return {
    ...head(failed ? 1 : 0),
    ...(failed ? { error: message } : {}),
    file: shown,
    workflow: workflow.definition.workflow.name,
    ...flow,
  };
}
