// `segno errors`: which errors a workflow can raise, who takes each, and which leave the file.
import { resolve } from "node:path";
import { isEngineKind, traitsOf } from "../errors/index.ts";
import { type ErrorFlow, errorFlow } from "../language/analysis/index.ts";
import { validateWorkflow } from "../language/validate.ts";
import { type Head, head } from "../results/index.ts";
import { type Extensions, knownTo } from "./extensions.ts";
import { realFiles } from "./files.ts";
import { invalidWorkflow } from "./refusals.ts";
import type { Surroundings } from "./request.ts";
import { shownPath } from "./shown-path.ts";

export interface ErrorsAnswer extends Head, ErrorFlow {
  readonly file: string;
  readonly workflow: string | null;
}

/**
 * What a workflow must be ready for: the author's own kinds, and what the surroundings may do to it. Defects and mistakes
 * in the file itself (a bad template, say) can always happen and are no reason to fail a build.
 */
function isToBeExpected(kind: string): boolean {
  if (kind === "*") return false;
  const { owner } = traitsOf(kind);
  return !isEngineKind(kind) || owner === "environment" || owner === "provider";
}

export interface ErrorsRequest extends Surroundings {
  readonly extensions?: Extensions;
  readonly file: string;
  /** An error to be expected that can leave the file is a failure, for CI. */
  readonly failOnUnhandled?: boolean;
}

export function listErrors({ file, cwd, env, failOnUnhandled, extensions }: ErrorsRequest): ErrorsAnswer {
  const path = resolve(cwd, file);
  const { workflow, findings } = validateWorkflow(path, realFiles(env), { asChild: true, ...knownTo(extensions) });
  const shown = shownPath(path, cwd);
  if (!workflow || findings.some((finding) => finding.severity === "error"))
    return { ...invalidWorkflow(findings, path, cwd), file: shown, workflow: null, steps: [], unhandled: [] };
  const flow = errorFlow(workflow);
  const expected = failOnUnhandled ? flow.unhandled.filter(({ kind }) => isToBeExpected(kind)) : [];
  const failed = expected.length > 0;
  const kinds = [...new Set(expected.map(({ kind }) => kind))].join(", ");
  const message = `${expected.length === 1 ? "an error" : `${expected.length} errors`} to be expected can leave ${shown}: ${kinds}`;
  return {
    ...head(failed ? 1 : 0),
    ...(failed ? { error: message } : {}),
    file: shown,
    workflow: workflow.definition.workflow.name,
    ...flow,
  };
}
