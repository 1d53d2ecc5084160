// Places drives of runs, with what they are made from: the first together with its run, others within the transaction of who
// places them.
import { type FleetStanding, type PlacedDrive, SCENARIO_PINS } from "../../../../storage/fleet.ts";
import { keptText, NOTHING_KEPT } from "../../../../storage/rows/columns.ts";
import type { IndexedStatus } from "../../../../storage/run-index.ts";
import type { Seal } from "../../../../storage/state/seal.ts";
import { commaSeparated, ONE_ROW, raw, rows, run, type Sql, sql } from "../../../../storage/state/sql.ts";
import type { NewRun } from "../../../../storage/store.ts";
import { doneIn, type Transaction } from "../database.ts";
import { readEnding, requireReached } from "../ending.ts";
import { type FleetMembers, nowAt } from "../members.ts";
import type { StoreAccess } from "../reader.ts";
import { keepingFacts } from "../run-facts.ts";
import { OWN_TIME } from "../run-index.ts";
import { takesUnsealed } from "../sealed-fleet.ts";
import { keepingSecrets, requireSeal } from "../secrets.ts";
import { pinning } from "../sources.ts";
import { enqueue, enqueuing } from "./queue.ts";
import { FORGET_LACKS } from "./workers-there.ts";

const sealedRequest = (seal: Seal, runId: string, request: unknown): string =>
  seal.close(JSON.stringify(request), [runId, "request"]);

/** Keeps the files of a drive, those of its scenario and its secret inputs, as parts of a statement; nothing where the table `when` has no row. */
function keeping(
  seal: Seal,
  runId: string,
  { pins, scenario, secrets = {}, holdsSecrets }: PlacedDrive,
  when: Sql,
): readonly Sql[] {
  if (holdsSecrets) requireSeal(seal);
  const pinned = [...(pins ? [pins] : []), ...(scenario ? [{ drive: SCENARIO_PINS, sources: scenario }] : [])];
  const kept = () => keepingSecrets(seal, runId, { ...NOTHING_KEPT, inputs: secrets }, when);
  return [
    ...(pinned.length > 0 ? [pinning(seal, runId, pinned, when)] : []),
    ...(Object.keys(secrets).length > 0 ? [sql`secrets as (${kept()})`] : []),
  ];
}

/**
 * A new run with its first drive in the queue, in one statement: it is placed once, also where a connection that was lost after
 * the commit makes this be done again. The run of a firing is placed by who has claimed that: of one that was taken
 * from it, or that has ended, nothing may begin. False where nothing was placed: by such a reason, or since the fleet is
 * sealed, and what is given here is not.
 */
export async function beginRun(
  { database, members, seal }: StoreAccess,
  { runId, workflow, file, durability, version, ...facts }: NewRun & { readonly version: string },
  drive: PlacedDrive,
): Promise<boolean> {
  const { isOfFiring, request, lane } = drive;
  const begun = sql`begun as (update segno.firings set begun = true
    where run_id = ${runId} and status = 'fired' and not begun and owner = ${members.name} returning 1)`;
  const made = sql`made as (insert into segno.runs (run_id, workflow, file, durability, version, status, started, resumable,
      drive, drive_ended, request, placed_at)
    select ${runId}, ${keptText(workflow)}, ${keptText(file)}, ${durability}, ${version}, 'queued', ${members.now()}::bigint, true,
      1, false, ${sealedRequest(seal, runId, request)}, clock_timestamp() from ${isOfFiring ? raw("begun") : ONE_ROW}
    where ${seal.isSealed ? raw("true") : takesUnsealed(members)}
    on conflict do nothing returning workflow)`;
  const known = sql`facts as (${keepingFacts(seal, runId, facts, "exists (select 1 from made)")})`;
  const parts = [...(isOfFiring ? [begun] : []), made, known, ...keeping(seal, runId, drive, raw("made"))];
  const enqueued = enqueuing(raw("made"), { runId, drive: 1, lane });
  return (await doneIn(database, run(sql`with ${commaSeparated(parts)} ${enqueued}`))) > 0;
}

export async function placeDrive(
  queries: Transaction,
  seal: Seal,
  runId: string,
  number: number,
  drive: PlacedDrive,
): Promise<void> {
  const kept = keeping(seal, runId, drive, ONE_ROW);
  if (kept.length > 0) await doneIn(queries, rows(sql`with ${commaSeparated(kept)} select 1`));
  const [row] = await queries.rows<{ request_seq: string }>(
    `${FORGET_LACKS}
     update segno.runs set drive = $2, drive_ended = false, request = $3, refused = null, stop_requested = false,
       wakes_at = null, left_because = null, placed_at = clock_timestamp(), request_seq = coalesce(
         (select last_seq from segno.events e where e.run_id = $1 and stream = '' order by first_seq desc limit 1), 0)
     where run_id = $1 returning request_seq`,
    [runId, number, sealedRequest(seal, runId, drive.request)],
  );
  requireReached(runId, await readEnding(queries, seal, runId), Number(row?.request_seq ?? 0));
  await enqueue(queries, { runId, drive: number, lane: drive.lane });
}

// Where a run of the fleet stands: which of its drives was placed last, whether that has ended, and who has it.

interface Underway {
  readonly drive: number;
  readonly drive_ended: boolean;
  /** A living process has its lease. */
  readonly lives: boolean;
}

const LIVES = `coalesce((select segno.lives(holder, ${nowAt(2)}, $3) from segno.leases l
  where l.run_id = r.run_id and l.stream = ''), false) as lives`;

/** Locks its row until the end of the transaction. */
export async function underwayLocked(
  sql: Transaction,
  { clock, silenceMs }: FleetMembers,
  runId: string,
): Promise<Underway | undefined> {
  const [row] = await sql.rows<Underway>(
    `select drive, drive_ended, ${LIVES} from segno.runs r where run_id = $1 for update`,
    [runId, clock, silenceMs],
  );
  return row;
}

export async function fleetStanding(
  { database, members, seal }: StoreAccess,
  runId: string,
): Promise<FleetStanding | undefined> {
  interface Row extends Underway {
    readonly status: IndexedStatus;
    readonly refused: string | null;
    readonly wakes_at: Date | null;
  }
  const [row] = await database.rows<Row>(
    `select drive, drive_ended, status, refused, ${OWN_TIME} as wakes_at, ${LIVES} from segno.runs r where run_id = $1`,
    [runId, members.clock, members.silenceMs],
  );
  if (!row) return undefined;
  return {
    drive: row.drive,
    isEnded: row.drive_ended,
    status: row.status,
    refused: row.refused === null ? null : (JSON.parse(seal.open(row.refused, [runId, "refused"])) as unknown),
    isDriven: row.lives,
    wakesAt: row.wakes_at?.toISOString() ?? null,
  };
}
