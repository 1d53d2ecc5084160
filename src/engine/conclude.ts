// How a run's end is told: one event for each way to end.

import type { Emit, EventData } from "../events/registry.ts";
import type { FrameEnd } from "./ends.ts";

export interface Conclusion {
  /** Seconds that this drive took. */
  readonly elapsed: number;
  readonly errorsJsonl: string;
}

export function conclude(end: FrameEnd, note: Emit, { elapsed, errorsJsonl }: Conclusion): void {
  const failed = (data: Omit<EventData<"workflow_failed">, "elapsed">): void =>
    note([], "workflow_failed", { elapsed, ...data });
  switch (end.type) {
    case "completed":
      return note([], "workflow_completed", { elapsed, output: end.output, degraded: end.degraded });
    case "terminated": {
      const fields = { termination_reason: end.reason, terminated_by: end.by, is_explicit: true, status: end.status };
      if (end.status === "success")
        return note([], "workflow_completed", { elapsed, output: end.output, degraded: false, ...fields });
      return failed({
        error_type: "WorkflowTerminated",
        message: end.reason,
        agent_name: end.by,
        resumable: false,
        output: end.output,
        ...fields,
      });
    }
    case "raised":
      return failed({
        error_type: end.unopted ? "ValidationError" : "UnhandledWorkflowError",
        message: end.error.message,
        agent_name: end.node,
        error: end.error,
        ...(end.unopted ? {} : { errors_jsonl: errorsJsonl }),
        resumable: true,
      });
    case "halted":
      return failed({
        error_type: "HaltedWorkflow",
        message: end.error.message,
        agent_name: end.node,
        error: end.error,
        resumable: false,
      });
    case "limit":
      return failed({ error_type: end.errorType, message: end.message, agent_name: end.node, resumable: true });
    case "paused": {
      const { question, path } = end;
      return note([], "run_paused", {
        reason: `${question.node} waits for an answer`,
        gate: { ...question, path: [...path] },
      });
    }
    case "cancelled":
      return note([], "run_cancelled", { reason: "interrupted", agent_name: end.node });
  }
}
