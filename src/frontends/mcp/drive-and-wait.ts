// What workflow_run, run_resume, gate_answer and dlq_retry have in common: the run goes on in a process of its own, on the
// fleet, or inside the server, the request waits for it for a while, and a cancelled request stops it.
import { SdkError, SdkErrorCode } from "@modelcontextprotocol/server";
import type { Result } from "../../base/results/result.ts";
import type { DriveListeners } from "../../services/request.ts";
import { waitFor } from "../../services/runs/background.ts";
import { cancelRun } from "../../services/runs/cancel.ts";
import { showRun } from "../../services/runs/runs.ts";
import { fleetOf } from "../../services/session/store.ts";
import type { ToolUse } from "./answer.ts";
import { carryOutOrder, type DriveOrder, driveElsewhere, progressOf, type WaitedDrive } from "./drive.ts";

interface DriveWait {
  readonly wait_seconds: number;
  readonly detach: boolean;
}

export async function driveAndWait(order: DriveOrder, wait: DriveWait, call: ToolUse): Promise<Result> {
  const { serving, signal, session } = call;
  let isWaitedFor = true;
  const progress = (message: string): void => {
    if (isWaitedFor) call.progress?.(message);
  };
  const isOnFleet = fleetOf(session) !== undefined;
  const drive =
    wait.detach && !isOnFleet
      ? driveElsewhere(order, session, { started: serving.session, progress })
      : driveInside(order, call, progress);
  const cancelled = (): void => {
    if (!isCancelled(call)) return;
    drive.stop();
    // Here it was only followed.
    if (isOnFleet) void drive.runId.then((run) => (run ? cancelRun(session, { run }) : undefined)).catch(() => {});
  };
  signal.addEventListener("abort", cancelled, { once: true });
  if (signal.aborted) cancelled();
  try {
    const ended = await waitFor(drive, patience(wait.wait_seconds), AbortSignal.any([signal, serving.ending]));
    if (ended) return ended;
    const runId = await drive.runId;
    return runId === undefined ? await drive.result : await showRun(session, { run: runId });
  } finally {
    isWaitedFor = false;
    signal.removeEventListener("abort", cancelled);
  }
}

function driveInside(
  order: DriveOrder,
  { serving, session }: ToolUse,
  progress: (message: string) => void,
): WaitedDrive {
  let placed: (run: string) => void = () => {};
  const placedId = new Promise<string>((resolve) => {
    placed = resolve;
  });
  const run = serving.runs.start((driving) => {
    const on: DriveListeners["on"] = (event) => {
      const message = progressOf(event);
      if (message !== undefined) progress(message);
      driving.on(event);
    };
    return carryOutOrder(order, session, { ...driving, on, following: placed });
  });
  // On a fleet a run has its id before a worker begins with it.
  return { runId: Promise.race([run.runId, placedId]), result: run.result, stop: () => run.stop() };
}

/** Clients that wait 60 seconds for an answer wait no longer: the answer has to be there before that. */
const patience = (seconds: number): number => Math.max(0, seconds * 1000 - (seconds >= 10 ? 1000 : 0));

/** A client that is gone, or whose patience ran out, did not ask for the run to stop. */
function isCancelled({ signal: { reason }, closingCancels, serving }: ToolUse): boolean {
  const isGone = reason instanceof SdkError && reason.code === SdkErrorCode.ConnectionClosed;
  return isGone ? closingCancels && !serving.ending.aborted : !/timed?[ _-]?out/i.test(String(reason));
}
