// Places a drive of a run that is there, with what the drive is made from. Within the transaction of who places it.
import { type FleetStanding, type PlacedDrive, SCENARIO_PINS } from "../../fleet.ts";
import { NOTHING_KEPT } from "../../kept-secrets.ts";
import type { IndexedStatus } from "../../run-index.ts";
import type { Seal } from "../../state/seal.ts";
import type { Transaction } from "../database.ts";
import { readEnding, requireReached } from "../ending.ts";
import { type FleetMembers, nowAt } from "../members.ts";
import { pinSources } from "../pins.ts";
import type { Surrounding } from "../reader.ts";
import { keepSecrets, requireSeal } from "../secrets.ts";
import { OWN_TIME } from "../state/run-index.ts";
import { FORGET_LACKS } from "./missing-requirements.ts";
import type { DriveQueue } from "./queue.ts";

export const sealedRequest = (seal: Seal, runId: string, request: unknown): string =>
  seal.close(JSON.stringify(request), [runId, "request"]);

/** Files, scenario and secret inputs. */
export async function keepForDrive(
  sql: Transaction,
  seal: Seal,
  runId: string,
  { pins, scenario, secrets, holdsSecrets }: PlacedDrive,
): Promise<void> {
  if (holdsSecrets) requireSeal(seal);
  if (pins) await pinSources(sql, seal, runId, pins.drive, pins.sources);
  if (scenario) await pinSources(sql, seal, runId, SCENARIO_PINS, scenario);
  if (secrets && Object.keys(secrets).length > 0)
    await keepSecrets(sql, seal, runId, { ...NOTHING_KEPT, inputs: secrets });
}

export async function placeDrive(
  sql: Transaction,
  queue: DriveQueue,
  seal: Seal,
  { runId, n, drive }: { readonly runId: string; readonly n: number; readonly drive: PlacedDrive },
): Promise<void> {
  await keepForDrive(sql, seal, runId, drive);
  const [row] = await sql.rows<{ request_seq: string }>(
    `${FORGET_LACKS}
     update segno.runs set drive = $2, drive_ended = false, request = $3, refused = null, stop_requested = false,
       wakes_at = null, left_because = null, placed_at = clock_timestamp(), request_seq = coalesce(
         (select last_seq from segno.events e where e.run_id = $1 and stream = '' order by first_seq desc limit 1), 0)
     where run_id = $1 returning request_seq`,
    [runId, n, sealedRequest(seal, runId, drive.request)],
  );
  requireReached(runId, await readEnding(sql, seal, runId), Number(row?.request_seq ?? 0));
  await queue.enqueue(sql, { runId, drive: n, lane: drive.lane });
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
  const rows = await sql.rows<Underway>(
    `select drive, drive_ended, ${LIVES} from segno.runs r where run_id = $1 for update`,
    [runId, clock, silenceMs],
  );
  return rows[0];
}

export async function fleetStanding(
  { database, members, seal }: Surrounding,
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
