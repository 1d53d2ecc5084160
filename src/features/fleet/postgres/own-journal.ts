// What only the holder of a run's lease writes to its journal: a batch of events (one that was written although the
// database's reply was lost is recognized), and the whole journal anew, without secrets.
import type { RunEvent } from "../../../base/events/registry.ts";
import type { ProcessIdentity } from "../../../storage/liveness.ts";
import { FORGOTTEN } from "../../../storage/rows/columns.ts";
import { textsOfData } from "../../../storage/rows/data-text.ts";
import type { SqlParameter } from "../../../storage/state/sql.ts";
import { isConnectionLoss, patiently } from "./connection.ts";
import type { Database } from "./database.ts";
import { isLeftOut, MAIN } from "./lease.ts";
import { type BatchRow, type BlobTable, encodedRow, type StoreAccess } from "./reader.ts";
import { keepSecrets } from "./secrets.ts";

export interface EventRow {
  readonly runId: string;
  readonly stream: string;
  readonly epoch: number;
  readonly first: number;
  readonly last: number;
  readonly data: string;
}

/** The run's row says from then on that this process drives it, if the drive is still the run's last. */
export type TakingUp = ProcessIdentity & { readonly drive: number };

export interface Appending {
  readonly takesUp: TakingUp | undefined;
  /** Events of branches are among them: how far each was heard. */
  readonly heard: ReadonlyMap<string, number> | undefined;
  readonly lost: () => Promise<Error>;
}

/** The lease is locked while the row is written: who raises its epoch comes before or after, never in between. */
const OURS = "ours as (select 1 from segno.leases where run_id = $1 and stream = $2 and epoch = $3 for share)";

/** `from`: a table that has no row where the run is another's. */
const insert = (from: string): string =>
  `insert into segno.events (run_id, stream, first_seq, last_seq, epoch, data) select $1, $2, $4, $5, $3, $6 ${from}`;

const APPEND = `with ${OURS} ${insert("from ours")}`;

/** With events of branches among them: how far each was heard is written in the same statement. */
const APPEND_HEARD = `with ${OURS}, heard as (
    update segno.branches b set heard = h.seq from unnest($7::text[], $8::bigint[]) h (stream, seq), ours
    where b.run_id = $1 and b.stream = h.stream
  ) ${insert("from ours")}`;

/** A further drive began: how the one before it ended is not how the run stands. */
export const NO_END = "ended = null, failing_kind = null, exit_code = null, duration_ms = null";

const APPEND_TAKING_UP = `with ${OURS}, taken as (delete from segno.lacks where run_id = $1), up as (
    update segno.runs set status = 'running', ${NO_END}, host = $7, pid = $8, start = $9, wakes_at = null, left_because = null
    from ours where run_id = $1 and drive = $10 and not drive_ended returning 1
  ) ${insert("from up")}`;

const PATIENCE_MS = 10 * 60_000;

export async function appendFenced(
  database: Database,
  row: EventRow,
  { takesUp, heard, lost }: Appending,
): Promise<void> {
  const values = [row.runId, row.stream, row.epoch, row.first, row.last, row.data];
  const statement = (): [string, readonly SqlParameter[]] => {
    if (heard) return [APPEND_HEARD, [...values, [...heard.keys()], [...heard.values()]]];
    if (!takesUp) return [isLeftOut("no-fence") ? insert("") : APPEND, values];
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
  const [found] = await database.rows<{ epoch: string; last_seq: string; data: string }>(
    "select epoch, last_seq, data from segno.events where run_id = $1 and stream = $2 and first_seq = $3",
    [runId, stream, first],
  );
  return Number(found?.epoch) === epoch && Number(found?.last_seq) === last && found?.data === data;
}

export interface OwnJournal {
  readonly access: StoreAccess;
  readonly runId: string;
  readonly epoch: number;
  readonly blobs: BlobTable;
  decoded(row: BatchRow): Promise<readonly RunEvent[]>;
  lost(): Promise<Error>;
}

export async function forgetSecretsIn(journal: OwnJournal, shown: (event: RunEvent) => RunEvent): Promise<void> {
  const { access, runId, epoch, blobs } = journal;
  const { database, seal } = access;
  const rows = await database.rows<BatchRow>(
    "select first_seq, last_seq, data from segno.events where run_id = $1 and stream = '' order by first_seq",
    [runId],
  );
  const big = new Map<string, string>();
  const written: { readonly first: number; readonly data: string }[] = [];
  for (const row of rows) {
    const first = Number(row.first_seq);
    const events = (await journal.decoded(row)).map(shown);
    const text = encodedRow(runId, events, textsOfData(events), big);
    written.push({ first, data: seal.close(text, [runId, MAIN, first]) });
  }
  await blobs.keep(big);
  await database.transaction(async (sql) => {
    const ours = await sql.rows(
      "select 1 from segno.leases where run_id = $1 and stream = '' and epoch = $2 for share",
      [runId, epoch],
    );
    if (ours.length === 0) throw await journal.lost();
    for (const { first, data } of written)
      await sql.run("update segno.events set data = $3 where run_id = $1 and stream = '' and first_seq = $2", [
        runId,
        first,
        data,
      ]);
    // What branches recorded stands among the run's own events as well.
    await sql.run("delete from segno.events where run_id = $1 and stream <> ''", [runId]);
    await sql.run("delete from segno.blobs where run_id = $1 and not hash = any($2::text[])", [runId, [...big.keys()]]);
    await keepSecrets(sql, seal, runId, FORGOTTEN);
  });
}
