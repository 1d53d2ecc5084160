// `type: terminate`: ends its workflow at once, well or badly, with a reason. When its reason or the output cannot be
// rendered, the workflow still ends with its status, without them.
import type { TerminateStep } from "../../language/schema/index.ts";
import {
  type PreparedTermination,
  terminate,
  terminateOutput,
  terminationOutput,
} from "../../steps/terminate/prepare.ts";
import { TemplateError } from "../../template/index.ts";
import { workflowOutput } from "../context/endings.ts";
import { layered, type Names } from "../context/scope.ts";
import type { WorkflowFrame } from "../frame.ts";
import { scopeOf } from "./step-work.ts";
import { ownWork, type Work } from "./work.ts";

interface PreparedEnd extends PreparedTermination {
  readonly output: Readonly<Record<string, unknown>> | null;
  /** Why there is no output. */
  readonly withoutOutput?: string;
}

export function terminateWork(frame: WorkflowFrame, step: TerminateStep): Work {
  return {
    ...ownWork(step, terminate.version),
    prepare(scope, locals): PreparedEnd {
      const prepared = terminate.prepare(step, scopeOf(frame, step.name, scope, locals));
      return { ...prepared, ...outputOf(frame, step, prepared, locals) };
    },
    async run(values, attempt) {
      const prepared = values as PreparedEnd;
      const output = terminateOutput(prepared, step.name);
      frame.context.succeeded(step.name, output);
      for (const message of [prepared.withoutReason, prepared.withoutOutput])
        if (message !== undefined) attempt.emit("warning", { node: step.name, message });
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
        output,
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
        output: prepared.output,
      };
    },
  };
}

/**
 * The workflow's output on this path; its templates see this step as ended. Only an `output_template` of a good end may
 * fail the step: its readers rely on that output, whereas a bad end has nothing better to report.
 */
function outputOf(
  frame: WorkflowFrame,
  step: TerminateStep,
  prepared: PreparedTermination,
  locals: Names,
): Pick<PreparedEnd, "output" | "withoutOutput"> {
  const { name, output_template: template } = step;
  const { context } = frame;
  const own = context.after(name, terminateOutput(prepared, name));
  try {
    if (!template) return { output: workflowOutput(frame, own) };
    return { output: terminationOutput(template, layered(locals, own, context.everything)) };
  } catch (problem) {
    if (!(problem instanceof TemplateError) || (template && step.status === "success")) throw problem;
    const withoutOutput = template
      ? `\`output_template\` of ${name} could not be rendered, so the output is null: ${problem.message} Let it read only what every way to ${name} has.`
      : `the workflow's \`output\` could not be rendered where ${name} ends it, so the output is null: ${problem.message} Give ${name} an \`output_template\`: it stands for \`output\` on this path.`;
    return { output: null, withoutOutput };
  }
}
