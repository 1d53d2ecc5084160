// How a run ended, by what its own journal says: for an index that is lost, or that anybody may have written.
import { activeMs } from "../../events/state/read.ts";
import type { RunStatus } from "../../events/state/state.ts";
import type { RunReader } from "../../hosts/run-reader.ts";
import type { Summarize } from "../../hosts/store.ts";
import type { Session } from "../session/session.ts";
import { redactorFor, stateOf } from "./read-run.ts";
import { resultOfRun } from "./report.ts";

interface RecordedEnd extends Awaited<ReturnType<Summarize>> {
  /** A journal knows no queue. */
  readonly status: RunStatus;
  readonly workflow: string;
  readonly seq: number;
}

export async function recordedEnd(reader: RunReader, session: Session): Promise<RecordedEnd> {
  const state = await stateOf(reader);
  const redactor = await redactorFor(reader, session);
  const { errors, exit_code, metrics, checkpoint } = resultOfRun(state, {
    ...session,
    folder: reader.folder,
    redactor,
    interrupted: state.status === "running",
  });
  return {
    workflow: state.root.name,
    seq: state.seq,
    status: state.status,
    ended: state.status === "running" ? null : state.lastAt,
    driver: (await reader.holder()) ?? null,
    failingKind: errors[0]?.kind ?? null,
    exitCode: exit_code,
    durationMs: activeMs(state) ?? null,
    costUsd: metrics?.total_cost_usd ?? null,
    resumable: checkpoint?.resumable ?? false,
  };
}
