// Drives a run that is open, tells the index how it stands, gives the lease back, and makes the result.
import { activeMs } from "../events/read.ts";
import type { OpenRun } from "../hosts/embedded/open-run.ts";
import type { Store } from "../hosts/embedded/store.ts";
import type { Result } from "../results/result.ts";
import { driveRun, type RunDrive } from "./drive-run.ts";
import type { DriveGuard } from "./governance/index.ts";
import { isGoverned } from "./governance/needed.ts";
import { hashKeyOf } from "./hash-key.ts";
import { resultOfRun } from "./report.ts";
import { storeAnswers, storeCache } from "./shared-state.ts";

export interface OpenDrive extends Omit<RunDrive, "log" | "hashing" | "answers" | "cache" | "guard"> {
  readonly store: Store;
  readonly run: OpenRun;
  readonly home: string;
  /** A scenario's run: it neither reads nor writes what real runs share. */
  readonly isolated?: boolean;
}

export async function finishDrive(drive: OpenDrive): Promise<Result> {
  const { store, run, state } = drive;
  const governed = await governing(drive);
  try {
    await driveRun({
      ...drive,
      ...(governed ? { guard: governed.guard } : {}),
      log: run,
      ...(drive.isolated ? {} : { cache: storeCache(store, run.runId) }),
      answers: storeAnswers(store, run.runId),
      hashing: {
        env: drive.env,
        get key() {
          return hashKeyOf(drive.home);
        },
      },
    });
    const result = resultOfRun(state, { ...drive, folder: run.folder });
    run.setStatus(state.status, {
      failingKind: result.errors[0]?.kind ?? null,
      exitCode: result.exit_code ?? 1,
      durationMs: activeMs(state) ?? 0,
      costUsd: result.metrics?.total_cost_usd ?? null,
      resumable: result.checkpoint?.resumable ?? false,
    });
    if (state.status !== "paused") store.state.gates.withdraw(run.runId);
    return result;
  } finally {
    governed?.close();
    run.release();
  }
}

/** Also for a run that left letters behind and whose file has dropped `resilience` since: a success settles them. */
async function governing(drive: OpenDrive): Promise<DriveGuard | undefined> {
  const { store, run, recall, workflow } = drive;
  const hasLetters = (): boolean => store.state.letters.list({ runId: run.runId, limit: 1 }).length > 0;
  if (!isGoverned(workflow) && (recall.drives === 0 || drive.isolated || !hasLetters())) return undefined;
  const { guardOf } = await import("./governance/index.ts");
  return guardOf(drive);
}
