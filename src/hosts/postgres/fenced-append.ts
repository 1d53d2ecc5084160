// Writes one batch of events, only while this process holds the lease. A batch that was written although the database's
// reply was lost is recognized.
import type { SqlParameter } from "../state/sql.ts";
import { isConnectionLoss, patiently } from "./connection/patience.ts";
import type { Database } from "./database.ts";
import { isLeftOut } from "./mutants.ts";

export interface EventRow {
  readonly runId: string;
  readonly stream: string;
  readonly epoch: number;
  readonly first: number;
  readonly last: number;
  readonly data: string;
}

/** The run's row says from then on that this process drives it, if the drive is still the run's last. */
export interface TakingUp {
  readonly host: string;
  readonly pid: number;
  readonly start: string;
  readonly drive: number;
}

export interface Appending {
  readonly takesUp: TakingUp | undefined;
  /** Events of branches are among them: how far each was heard. */
  readonly heard: ReadonlyMap<string, number> | undefined;
  /** What to throw when the run is another's. */
  readonly lost: () => Promise<Error>;
}

/** The lease is locked while the row is written: who raises its epoch comes before or after, never in between. */
const APPEND = `with ours as (
    select 1 from segno.leases where run_id = $1 and stream = $2 and epoch = $3 for share
  )
  insert into segno.events (run_id, stream, first_seq, last_seq, epoch, data)
  select $1, $2, $4, $5, $3, $6 from ours`;

/** The same, with events of branches among them: how far each was heard is written in the same statement. */
const APPEND_HEARD = `with ours as (
    select 1 from segno.leases where run_id = $1 and stream = $2 and epoch = $3 for share
  ), heard as (
    update segno.branches b set heard = h.seq from unnest($7::text[], $8::bigint[]) h (stream, seq), ours
    where b.run_id = $1 and b.stream = h.stream
  )
  insert into segno.events (run_id, stream, first_seq, last_seq, epoch, data)
  select $1, $2, $4, $5, $3, $6 from ours`;

/** A further drive began: how the one before it ended is not how the run stands. */
export const NO_END = "ended = null, failing_kind = null, exit_code = null, duration_ms = null";

const APPEND_TAKING_UP = `with ours as (
    select 1 from segno.leases where run_id = $1 and stream = $2 and epoch = $3 for share
  ), taken as (delete from segno.lacks where run_id = $1), up as (
    update segno.runs set status = 'running', ${NO_END}, host = $7, pid = $8, start = $9, wakes_at = null, left_because = null
    from ours where run_id = $1 and drive = $10 and not drive_ended returning 1
  )
  insert into segno.events (run_id, stream, first_seq, last_seq, epoch, data)
  select $1, $2, $4, $5, $3, $6 from up`;

const APPEND_UNFENCED = `insert into segno.events (run_id, stream, first_seq, last_seq, epoch, data)
  values ($1, $2, $4, $5, $3, $6)`;

/** How long a database may be away while a run is written. */
const PATIENCE_MS = 10 * 60_000;

export async function appendFenced(
  database: Database,
  row: EventRow,
  { takesUp, heard, lost }: Appending,
): Promise<void> {
  const values = [row.runId, row.stream, row.epoch, row.first, row.last, row.data];
  const statement = (): [string, readonly SqlParameter[]] => {
    if (heard) return [APPEND_HEARD, [...values, [...heard.keys()], [...heard.values()]]];
    if (!takesUp) return [isLeftOut("no-fence") ? APPEND_UNFENCED : APPEND, values];
    const { host, pid, start, drive } = takesUp;
    return [APPEND_TAKING_UP, [...values, host, pid, start, drive]];
  };
  let isRetry = false;
  try {
    await patiently(
      async () => {
        try {
          const written = await database.once(...statement());
          if (written.rowCount !== 1) throw await lost();
        } catch (problem) {
          // A row that is there already may be our own: written, and only the word of it was lost.
          const isThere = (problem as { code?: unknown }).code === "23505";
          if (isThere && isRetry && !isLeftOut("no-own-row") && (await isOurs(database, row))) return;
          if (isThere) throw await lost();
          isRetry ||= isConnectionLoss(problem);
          throw problem;
        }
      },
      { forMs: PATIENCE_MS },
    );
  } catch (problem) {
    throw database.asStoreError(problem);
  }
}

async function isOurs(database: Database, { runId, stream, epoch, first, last, data }: EventRow): Promise<boolean> {
  const rows = await database.rows<{ epoch: string; last_seq: string; data: string }>(
    "select epoch, last_seq, data from segno.events where run_id = $1 and stream = $2 and first_seq = $3",
    [runId, stream, first],
  );
  const [found] = rows;
  return Number(found?.epoch) === epoch && Number(found?.last_seq) === last && found?.data === data;
}
