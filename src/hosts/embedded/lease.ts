// Who drives a run. One row in the run's journal, changed only in transactions that hold the write lock, so of two
// processes that come at once one gets it.
import { randomBytes } from "node:crypto";
import type { LeaseHolder, ProcessIdentity } from "../liveness.ts";
import type { Connection } from "../sqlite/connection.ts";
import { LeaseHeld } from "../store-error.ts";
import { isAlive } from "./process-identity.ts";

interface LeaseRow {
  readonly host: string;
  readonly pid: number;
  readonly start: string;
  readonly since: number;
  readonly heard: number;
}

const holderOf = ({ host, pid, start, since, heard }: LeaseRow): LeaseHolder => ({
  host,
  pid,
  start,
  since: new Date(since).toISOString(),
  heard: new Date(heard).toISOString(),
});

/** Whoever has the lease, dead or alive. */
export function leaseHolder(connection: Connection): LeaseHolder | undefined {
  const row = connection.prepare<LeaseRow>("SELECT host, pid, start, since, heard FROM lease").get([]);
  return row && holderOf(row);
}

export const holderIsAlive = (holder: LeaseHolder, now: number, here: string): boolean =>
  isAlive(holder, Date.parse(holder.heard), now, here);

export interface TakenLease {
  readonly token: string;
  /** The dead process that had it before. */
  readonly takenOver?: LeaseHolder;
}

/** Takes the lease, or throws `LeaseHeld`. Must be called inside a transaction. */
export function takeLease(connection: Connection, runId: string, who: ProcessIdentity, now: number): TakenLease {
  const holder = leaseHolder(connection);
  if (holder && holderIsAlive(holder, now, who.host)) throw new LeaseHeld(runId, holder);
  const token = randomBytes(8).toString("hex");
  connection
    .prepare("INSERT OR REPLACE INTO lease (only, host, pid, start, since, heard, token) VALUES (1, ?, ?, ?, ?, ?, ?)")
    .run([who.host, who.pid, who.start, now, now, token]);
  return holder ? { token, takenOver: holder } : { token };
}

/** Whether the lease was still ours, and is marked as such. */
export const renewLease = (connection: Connection, token: string, now: number): boolean =>
  connection.prepare("UPDATE lease SET heard = ? WHERE token = ?").run([now, token]) === 1;

export function freeLease(connection: Connection, token: string): void {
  connection.prepare("DELETE FROM lease WHERE token = ?").run([token]);
}
