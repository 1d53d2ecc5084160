// What workflow_run, run_resume, gate_answer and dlq_retry have in common: the run goes on in the server, the request
// waits for it for a while, and a cancelled request stops it.
import type { Result } from "../results/result.ts";
import type { Driving } from "../services/request.ts";
import { waitFor } from "../services/runs/background.ts";
import { showRun } from "../services/runs/runs.ts";
import type { ToolUse } from "./session.ts";

type Go = (driving: Required<Pick<Driving, "on" | "signal">>) => Promise<Result>;

export async function driveAndWait(go: Go, waitSeconds: number, call: ToolUse): Promise<Result> {
  const { serving, signal, progress, surroundings } = call;
  let isWaitedFor = true;
  const run = serving.runs.start((driving) => {
    const { on } = driving;
    return go({
      ...driving,
      on(event) {
        if (isWaitedFor) progress?.(event);
        on(event);
      },
    });
  });
  const cancelled = (): void => {
    if (!hasOnlyGivenUp(signal.reason)) run.stop();
  };
  signal.addEventListener("abort", cancelled, { once: true });
  if (signal.aborted) cancelled();
  try {
    const result = await waitFor(run, patience(waitSeconds), signal);
    if (result) return result;
    const runId = await run.runId;
    return runId === undefined ? await run.result : await showRun({ ...surroundings, run: runId });
  } finally {
    isWaitedFor = false;
    signal.removeEventListener("abort", cancelled);
  }
}

/** Clients that wait 60 seconds for an answer wait no longer: the answer has to be there before that. */
const patience = (seconds: number): number => Math.max(0, seconds * 1000 - (seconds >= 10 ? 1000 : 0));

/** A client whose patience ran out did not ask for the run to stop. */
const hasOnlyGivenUp = (reason: unknown): boolean => /timed?[ _-]?out/i.test(String(reason));
