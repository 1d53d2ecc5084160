// Whether a dead letter can be retried now, judged by the state of its run; the retry itself looks more closely.
import type { LetterStatus } from "../../hosts/shared-state.ts";
import type { RunStore, StoredRun } from "../../hosts/store.ts";

interface RunOfLetter {
  readonly status: StoredRun["status"] | "crashed";
  readonly resumable: boolean;
  readonly isDriven: boolean;
}

/** null: its letters can be retried, also when it has ended without what they lost. */
export function whyRunTakesNoRetry({ status, resumable, isDriven }: RunOfLetter): string | null {
  if (isDriven) return "its run is being driven: retry it when the run has come to its end";
  // A run that ended by itself stays as it ended, and the letter is tried alone.
  if (resumable || ["completed", "degraded", "terminated", "failed"].includes(status)) return null;
  return `its run is ${status}, and cannot go on`;
}

/** Why each of these letters cannot be retried, in their order; null for those that can, or that need no retry. */
export async function whyNotRetried(
  store: RunStore,
  letters: readonly { readonly run_id: string; readonly status: LetterStatus }[],
): Promise<readonly (string | null)[]> {
  const runs = new Map<string, string | null>();
  for (const { run_id } of letters) if (!runs.has(run_id)) runs.set(run_id, await whyNot(store, run_id));
  return letters.map(({ run_id, status }) => {
    if (status === "retrying") return "it is being retried";
    return status === "open" ? (runs.get(run_id) ?? null) : null;
  });
}

async function whyNot(store: RunStore, runId: string): Promise<string | null> {
  const run = await store.summary(runId);
  if (!run) return "its run is gone";
  const { status, crashed, resumable, waits } = run;
  const isDriven = waits !== undefined || (status === "running" && !crashed);
  return whyRunTakesNoRetry({ status, isDriven, resumable: resumable || crashed });
}
