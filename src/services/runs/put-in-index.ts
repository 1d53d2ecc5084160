// A run that the index does not have, or still shows as running, since a process was killed or a machine lost power
// before its row was written. Lists show what is indexed, so a process that finds such a run adds it from its journal.
import type { RunStore } from "../../hosts/store.ts";
import { LeaseHeld } from "../../hosts/store-error.ts";
import { catchUp } from "../drive/catch-up.ts";
import { openToDrive } from "../drive/open-to-drive.ts";
import type { Session } from "../session/session.ts";
import { recordedEnd } from "./recorded-end.ts";

/** Of a run that is done. One that goes on is put in by its driver. */
export async function putInIndex(store: RunStore, runId: string, session: Session): Promise<void> {
  const known = await store.summary(runId);
  if (known && !known.crashed) return;
  const run = await openToDrive(store, runId, {}).catch((problem: unknown) => {
    if (problem instanceof LeaseHeld) return undefined;
    throw problem;
  });
  if (!run) return;
  try {
    const { workflow, status, ended, failingKind, exitCode, durationMs, costUsd, resumable } = await recordedEnd(
      run,
      session,
    );
    await catchUp(run, session);
    await run.takeUp();
    await run.setStatus(status, {
      workflow,
      failingKind,
      costUsd,
      resumable,
      ...(ended === null ? {} : { ended: Date.parse(ended) }),
      ...(exitCode === null ? {} : { exitCode }),
      ...(durationMs === null ? {} : { durationMs }),
    });
  } finally {
    await run.release();
  }
}
