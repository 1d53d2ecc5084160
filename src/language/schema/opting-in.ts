// Which results of a step are errors although its executor could go on with them: by the fields of the step, by opting in to
// typed errors, or by what its file means. Engine and analysis ask the same functions.
import type { EnvelopesRaised } from "../../steps/step-type.ts";
import type { Route, Step, WorkflowFile } from "./index.ts";

export interface OptingIn {
  readonly step: Step;
  /** Whether the step, its group or its file says anything about errors. */
  readonly hasOptedIn: boolean;
  readonly semantics: WorkflowFile["semantics"];
}

const hasErrorRoute = (routes: readonly Route[]): boolean => routes.some((route) => route.on_error !== undefined);

/** `routes` are those of the step itself and of the groups that it is a member of. */
export function optingIn(step: Step, routes: readonly Route[], { workflow, semantics }: WorkflowFile): OptingIn {
  const hasOptedIn =
    ("raises" in step && step.raises !== undefined) ||
    ("raise_when" in step && (step.raise_when ?? []).length > 0) ||
    hasErrorRoute(routes) ||
    (workflow.error_routes ?? []).length > 0 ||
    workflow.resilience !== undefined;
  return { step, hasOptedIn, semantics };
}

const okExitCodes = (step: Step): "any" | readonly number[] | undefined =>
  step.type === "script" ? step.ok_exit_codes : undefined;

/** Whether a script that ended like this has failed; otherwise its exit code is data. `code`: as a number, also of a signal. */
export function isFailedExit(optingIn: OptingIn, { code, signal }: { code: number; signal: unknown }): boolean {
  const codes = okExitCodes(optingIn.step);
  if (Array.isArray(codes)) return typeof signal === "string" || !codes.includes(code);
  return mayFailByExit(optingIn);
}

/** Whether there is an end of the script's process that is an error. */
export function mayFailByExit({ step, hasOptedIn, semantics }: OptingIn): boolean {
  const codes = okExitCodes(step);
  return codes !== "any" && (codes !== undefined || hasOptedIn || semantics.failsOnExitCode);
}

/** Whether an output that does not fit `output:` is a typed error. Otherwise it ends the run. */
export const raisesSchemaViolation = ({ step, hasOptedIn, semantics }: OptingIn): boolean =>
  !keepsViolations(step) && (hasOptedIn || semantics.failsOnSchemaViolation);

/** Whether the error of a tool that an `mcp` step calls is raised. Otherwise it is the step's output. */
export const raisesToolErrors = ({ hasOptedIn, semantics }: OptingIn): boolean =>
  hasOptedIn || semantics.raisesToolErrors;

/** Which error envelopes in the answer of an agent are raised. */
export function envelopesRaised({ step, hasOptedIn, semantics }: OptingIn): EnvelopesRaised {
  if (step.type === "agent" && step.output_mode === "raw" && !semantics.raisesFromRawAnswers) return "none";
  if (keepsViolations(step) || !(hasOptedIn || semantics.raisesEnvelopesInText)) return "whole";
  return semantics.raisesEnvelopesBeforeProse ? "apart" : "last";
}

const keepsViolations = (step: Step): boolean => "schema_violation" in step && step.schema_violation === "data";
