// Where a run of the fleet stands: which of its drives was placed last, whether that has ended, and who has it.
import type { FleetStanding } from "../../fleet.ts";
import type { IndexedStatus } from "../../run-index.ts";
import type { Transaction } from "../database.ts";
import { type FleetMembers, nowAt } from "../members.ts";
import type { Surrounding } from "../reader.ts";
import { OWN_TIME } from "../state/run-index.ts";

export interface Underway {
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
