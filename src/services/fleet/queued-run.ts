// A run that a fleet has and no worker drives: it is neither cut off nor to be resumed, whatever its journal looks like.
import type { RunMeta } from "../../hosts/run-reader.ts";
import type { RunStore, StoredRun } from "../../hosts/store.ts";
import { plainEntry } from "../../results/entry.ts";
import type { Result } from "../../results/result.ts";
import { withOwnName } from "../runs/report.ts";
import type { Session } from "../session/session.ts";
import { whyTheyWait } from "./waiting-run.ts";

export interface InQueue {
  /** It waits for a worker. Else it is in the middle of a drive and waits for its own time. */
  readonly isQueued: boolean;
  /** What keeps workers from it, if anything does. */
  readonly trouble: string | null;
  readonly sentence: string;
}

/** Nothing of a run that is driven or at rest. */
export async function inQueue(store: RunStore, run: StoredRun | undefined): Promise<InQueue | undefined> {
  if (!store.fleet || !run?.waits) return undefined;
  const { status, waits } = run;
  const trouble = (await whyTheyWait(store, [run]))(run)?.sentence ?? null;
  const patient =
    waits.until === null
      ? "A worker takes it when one is free."
      : `It waits until ${waits.until} and needs no worker until then.`;
  return { isQueued: status === "queued", trouble, sentence: trouble ?? patient };
}

/** The result of a run that is in the queue: how its last drive ended counts no more, and it goes on without a resume. */
export function resultInQueue(
  result: Result,
  { isQueued, trouble }: InQueue,
  meta: Pick<RunMeta, "workflow" | "file">,
  session: Pick<Session, "cwd">,
): Result {
  const warned =
    trouble === null
      ? result
      : { ...result, warnings: [...result.warnings, plainEntry({ message: trouble, owner: "environment" })] };
  return isQueued ? withOwnName(asQueued(warned), meta, session) : warned;
}

/** For a caller that placed a drive and does not follow it: placing is success. */
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
