// What a tool wants driven, as plain data: it is carried out inside the server, or in a process of its own.
import type { Result } from "../results/result.ts";
import type { GateAnswerRequest } from "../services/gates/checked-answer.ts";
import { answerGate } from "../services/gates/gates.ts";
import { retryLetters } from "../services/letters/letters.ts";
import type { DriveListeners, Listener, ResumeRequest, RunRequest } from "../services/request.ts";
import { resumeRun } from "../services/runs/resume.ts";
import { runWorkflow } from "../services/runs/run.ts";
import type { Session } from "../services/session/session.ts";

export type DriveOrder =
  | ({ readonly to: "run" } & Pick<RunRequest, "file" | "inputs">)
  | ({ readonly to: "resume" } & Pick<ResumeRequest, "target" | "inputs" | "rerun" | "file">)
  | ({ readonly to: "answer" } & Pick<GateAnswerRequest, "run" | "value" | "inputs" | "via" | "gate">)
  | { readonly to: "retry"; readonly ids: readonly string[] };

export function carryOutOrder(order: DriveOrder, session: Session, driving: DriveListeners): Promise<Result> {
  switch (order.to) {
    case "run":
      return runWorkflow(session, order, driving);
    case "resume":
      return resumeRun(session, order, driving);
    case "answer":
      return answerGate(session, order, driving);
    case "retry":
      // With nothing to retry the answer is no result, and is returned as it is.
      return retryLetters(session, order, driving) as Promise<Result>;
  }
}

/** What a person would want to hear of an event; nothing of the others. */
export function progressOf(event: Parameters<Listener>[0]): string | undefined {
  const place = (name: string): string => [...event.path, name].join("/");
  switch (event.type) {
    case "workflow_started":
      return `run ${event.run_id} of ${event.data.name} began`;
    case "run_resumed":
      return `run ${event.run_id} goes on`;
    case "agent_started":
      return `${place(event.data.agent_name)} runs${event.data.attempt > 1 ? ` (attempt ${event.data.attempt})` : ""}`;
    case "agent_completed":
      return `${place(event.data.agent_name)} done`;
    case "error_raised":
      return `${place(event.data.node)} raised ${event.data.error.kind}: ${event.data.error.message}`;
    case "retry_scheduled":
      return `${place(event.data.node)} is tried again in ${event.data.delay_seconds} s`;
    case "gate_presented":
      return `${place(event.data.agent_name)} asks a person`;
    default:
      return undefined;
  }
}
