// A run that a fleet has and no worker drives: it is neither cut off nor to be resumed, whatever its journal looks like.
import type { RunMeta } from "../../hosts/run-reader.ts";
import type { RunStore, StoredRun } from "../../hosts/store.ts";
import { plainEntry } from "../../results/entry.ts";
import type { Result } from "../../results/result.ts";
import { nowOf } from "../clock-of-store.ts";
import type { Surroundings } from "../request.ts";
import { shownPath } from "../shown-path.ts";
import { whyTheyWait } from "./waiting-run.ts";

export interface InQueue {
  /** Nothing of its next drive was done yet. Else it is in the middle of one: it waits for its time, or was handed over. */
  readonly isQueued: boolean;
  /** What keeps workers from it, if anything does. */
  readonly trouble: string | null;
  readonly sentence: string;
}

/** Nothing of a run that is driven or at rest. */
export async function inQueue(store: RunStore, run: StoredRun | undefined): Promise<InQueue | undefined> {
  if (!store.fleet || !run?.waits) return undefined;
  const { runId, status } = run;
  const trouble = (await whyTheyWait(store, [run]))(run)?.sentence ?? null;
  const { wakesAt = null } = (await store.fleet.standing(runId)) ?? {};
  const sleeps = wakesAt !== null && Date.parse(wakesAt) > nowOf(store);
  const patient = sleeps
    ? `It waits until ${wakesAt} and needs no worker until then.`
    : "A worker takes it when one is free.";
  return { isQueued: status === "queued", trouble, sentence: sleeps ? patient : (trouble ?? patient) };
}

/** The result of a run that is in the queue: how its last drive ended counts no more, and it goes on without a resume. */
export function resultInQueue(
  result: Result,
  { isQueued, trouble }: InQueue,
  { workflow, file }: Pick<RunMeta, "workflow" | "file">,
  { cwd }: Pick<Surroundings, "cwd">,
): Result {
  const warned =
    trouble === null
      ? result
      : { ...result, warnings: [...result.warnings, plainEntry({ message: trouble, owner: "environment" })] };
  if (!isQueued) return warned;
  const named = { workflow: result.workflow ?? workflow, file: result.file ?? shownPath(file, cwd) };
  return { ...asQueued(warned), ...named };
}

/** For whoever placed a drive and does not follow it: that went well. */
export const placedResult = (result: Result): Result => ({
  ...asQueued(result),
  success: true,
  exit_code: 0,
  artifacts: null,
});

function asQueued({ gates: _, ...result }: Result): Result {
  return {
    ...result,
    ...{ status: "queued", success: false, exit_code: null, error: null, errors: [], gate: null, termination: null },
    checkpoint: result.checkpoint && { ...result.checkpoint, failed_node: null, resumable: false, resume: null },
  };
}
