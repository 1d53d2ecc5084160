// How a run ended or paused, sealed by the worker that drove it. Without the seal, anyone who can write to the database
// could change the end in the run's row, or delete the end of its journal.
import type { RunStatus } from "../../../base/events/state/state.ts";
import { isoTime, keptText } from "../../../storage/rows/columns.ts";
import type { RunEnding } from "../../../storage/run-log.ts";
import type { RunMeta } from "../../../storage/run-reader.ts";
import { openValue, type Seal, type SealedPlace } from "../../../storage/state/seal.ts";
import type { SealedEnd } from "../../../storage/store.ts";
import { ChangedInDatabase } from "../../../storage/store-error.ts";
import type { Queries } from "./database.ts";
import { markDone } from "./queue/claims.ts";
import { keepFacts } from "./run-facts.ts";

const placeOf = (runId: string): SealedPlace => [runId, "ending"];

/** Nothing of a run that has not ended yet, or that an older Segno drove. */
export async function readEnding(sql: Queries, seal: Seal, runId: string): Promise<SealedEnd | undefined> {
  const [row] = await sql.rows<{ ending: string | null }>("select ending from segno.runs where run_id = $1", [runId]);
  return openEnding(seal, runId, row?.ending ?? null);
}

export const openEnding = (seal: Seal, runId: string, ending: string | null): SealedEnd | undefined =>
  ending === null ? undefined : openValue<SealedEnd>(seal, ending, placeOf(runId));

/** Throws when the journal is shorter than it was when the run last paused or ended: completed steps would run again. */
export function requireReached(runId: string, end: SealedEnd | undefined, lastSeq: number): void {
  if (end === undefined || lastSeq >= end.seq) return;
  throw new ChangedInDatabase(
    `The journal of run ${runId} ends at event ${lastSeq}, but it had ${end.seq} events when the run last paused or ended: events were deleted in the database. The run cannot be resumed; start a new one.`,
    runId,
  );
}

/** SQL: the epoch `$2` of the run `$1` is that of its lease. */
export const HAS_LEASE = `exists (
    select 1 from segno.leases where run_id = $1 and stream = '' and epoch = $2 for share
  )`;

/** Of a run, by who has the lease: `$1` and `$2` are the run and the epoch. */
export const SET_STATUS = `update segno.runs set status = $3, ended = $4, failing_kind = $5, exit_code = $6, duration_ms = $7, cost_usd = $8,
  resumable = $9, ending = $11, host = null, pid = null, start = null, stop_requested = false,
  drive_ended = case when $10::int is null then drive_ended else drive <= $10::int end`;

/** The same of a drive that the queue gave: it gives the lease back, closes open questions, and is done in the queue. */
export const END_DRIVE = `with given_back as (
    update segno.leases set holder = null where run_id = $1 and stream = '' and epoch = $2 returning 1
  ), withdrawn as (
    update segno.answers set closed = true where run_id = $1 and answer is null and $3 <> 'paused' and exists (select 1 from given_back)
  ), facts as (${keepFacts(14, "exists (select 1 from given_back)")}),
  done as (${markDone("$12", "$13")} and exists (select 1 from given_back))
  ${SET_STATUS} where run_id = $1 and exists (select 1 from given_back)`;

/** The same as `SET_STATUS` by who has the lease, with the facts of the run. */
export const SET_STATUS_AND_FACTS = `with facts as (${keepFacts(12, HAS_LEASE)}) ${SET_STATUS}`;

interface StatusNow extends Omit<RunEnding, "ended" | "facts"> {
  readonly status: RunStatus;
  readonly ended: number | null;
  readonly seq: number;
  readonly drive: number | null;
}

/** For `SET_STATUS` and `END_DRIVE`, from `$3` on. */
export function valuesOfEnd(
  seal: Seal,
  { runId, workflow: named }: RunMeta,
  { status, ended, seq, drive, workflow = named, failingKind: kind = null, ...ending }: StatusNow,
): readonly (string | number | boolean | null)[] {
  const sealed: SealedEnd = { workflow, status, kind, seq, ended: ended === null ? null : isoTime(ended) };
  const { exitCode = null, durationMs = null, costUsd = null, resumable = status === "running" } = ending;
  return [
    status,
    ended,
    kind === null ? null : keptText(kind),
    exitCode,
    durationMs,
    costUsd,
    resumable,
    drive,
    seal.close(JSON.stringify(sealed), placeOf(runId)),
  ];
}
