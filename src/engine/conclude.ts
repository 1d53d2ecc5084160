// How a run's end is recorded: one event for each way to end.
import { askerName } from "../base/events/asker-name.ts";
import type { Emit, EventData } from "../base/events/registry.ts";
import type { FrameEnd } from "./ends.ts";

export interface Conclusion {
  /** Seconds that this drive took. */
  readonly elapsed: number;
  readonly errorsJsonl: string;
  /** Who stopped it, where that is known. */
  readonly stoppedBy?: string;
}

export function conclude(end: FrameEnd, note: Emit, { elapsed, errorsJsonl, stoppedBy }: Conclusion): void {
  switch (end.type) {
    case "completed":
      note([], "workflow_completed", { elapsed, output: end.output, degraded: end.degraded });
      break;
    case "terminated":
      if (end.status === "failed") note([], "workflow_failed", { elapsed, ...failure(end, errorsJsonl) });
      else note([], "workflow_completed", { elapsed, output: end.output, degraded: false, ...terminated(end) });
      break;
    case "paused": {
      const { question, path } = end;
      const reason = `${askerName(question.key)} waits for an answer`;
      note([], "run_paused", { reason, gate: { ...question, path: [...path] } });
      break;
    }
    case "cancelled":
      note([], "run_cancelled", { reason: "interrupted", agent_name: end.node, by: stoppedBy });
      break;
    default:
      note([], "workflow_failed", { elapsed, ...failure(end, errorsJsonl) });
  }
}

type Failed = Exclude<FrameEnd, { type: "completed" | "paused" | "cancelled" }>;
type Terminated = FrameEnd & { type: "terminated" };

function failure(end: Failed, errorsJsonl: string): Omit<EventData<"workflow_failed">, "elapsed"> {
  switch (end.type) {
    case "terminated":
      return {
        error_type: "WorkflowTerminated",
        message: end.reason,
        agent_name: end.by,
        resumable: false,
        output: end.output,
        ...terminated(end),
      };
    case "raised": {
      const { error, node: agent_name } = end;
      const common = { message: error.message, agent_name, error, resumable: true };
      if (end.unopted) return { error_type: "ValidationError", ...common };
      return { error_type: "UnhandledWorkflowError", errors_jsonl: errorsJsonl, ...common };
    }
    case "halted":
      return {
        error_type: "HaltedWorkflow",
        message: end.error.message,
        agent_name: end.node,
        agent_path: end.path.length > 0 ? [...end.path] : undefined,
        error: end.error,
        resumable: end.resumable,
      };
    case "limit":
      return { error_type: end.errorType, message: end.message, agent_name: end.node, resumable: true };
  }
}

const terminated = ({ reason, by, status }: Terminated) => ({
  termination_reason: reason,
  terminated_by: by,
  is_explicit: true,
  status,
});
