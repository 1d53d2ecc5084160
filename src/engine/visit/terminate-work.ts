// `type: terminate`: ends its workflow at once, well or badly, with a reason.
import type { TerminateStep } from "../../language/schema/index.ts";
import { BadValue } from "../../steps/executor.ts";
import { type PreparedTermination, terminate, terminateOutput } from "../../steps/terminate.ts";
import { workflowOutput } from "../context/output.ts";
import { templateFailure } from "../context/template-failure.ts";
import type { WorkflowFrame } from "../frame.ts";
import { scopeOf } from "./step-work.ts";
import type { Work } from "./work.ts";

export function terminateWork(frame: WorkflowFrame, step: TerminateStep): Work {
  return {
    name: step.name,
    type: step.type,
    version: terminate.version,
    step,
    routes: [],
    timeoutSeconds: undefined,
    isContainer: false,
    // The workflow's own output is rendered here too, so that an error in it is reported as this step's.
    prepare(scope, locals) {
      const prepared = terminate.prepare(step, scopeOf(frame, step.name, scope, locals));
      return prepared.output ? prepared : { ...prepared, output: ownOutput(frame, step.name, prepared) };
    },
    async run(values, attempt) {
      const prepared = values as PreparedTermination;
      const ending = {
        agent_name: step.name,
        agent_type: step.type,
        key: attempt.key,
        attempt: attempt.attempt,
        elapsed: 0,
        termination_reason: prepared.reason,
        terminated_by: step.name,
        is_explicit: true,
        status: prepared.status,
        output: terminateOutput(prepared, step.name),
      };
      if (prepared.status === "success") attempt.emit("agent_completed", ending);
      else
        attempt.emit("agent_failed", {
          ...ending,
          error_type: "WorkflowTerminated",
          message: prepared.reason,
          kind: null,
        });
      return {
        type: "terminated",
        status: prepared.status,
        reason: prepared.reason,
        by: step.name,
        output: prepared.output ?? {},
      };
    },
  };
}

/** The workflow's `output:`. That it reads what this path never reached must not hide why the workflow was to end here. */
function ownOutput(
  frame: WorkflowFrame,
  node: string,
  { status, reason }: PreparedTermination,
): Record<string, unknown> {
  try {
    return workflowOutput(frame);
  } catch (problem) {
    const failure = templateFailure(problem);
    const message = `${node} ends the workflow (${status}: ${reason}), but the workflow's output could not be rendered: ${failure.message}`;
    const details = { ...failure.details, field: "output", termination: { status, reason } };
    throw new BadValue("output", null, "it could not be rendered", { ...failure, message, details });
  }
}
