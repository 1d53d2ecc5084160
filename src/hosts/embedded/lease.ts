// Who drives a run. One row in the run's journal, changed only in transactions that hold the write lock, so of two
// processes that come at once one gets it.
import { randomBytes } from "node:crypto";
import type { LeaseHolder, ProcessIdentity } from "../liveness.ts";
import type { Connection } from "../sqlite/connection.ts";
import { LeaseHeld } from "../store-error.ts";
import { isSame, type Observation } from "./liveness.ts";

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

/** The process that has the lease, dead or alive. */
export function leaseHolder(connection: Connection): LeaseHolder | undefined {
  const row = connection.prepare<LeaseRow>("SELECT host, pid, start, since, heard FROM lease").get([]);
  return row && holderOf(row);
}

export interface TakenLease {
  readonly token: string;
  /** The process that had it before: dead, or replaced by `takeOver`. */
  readonly takenOver?: LeaseHolder;
}

/** Says what is known of the process that has the lease. */
export type Observe = (holder: LeaseHolder) => Observation;

export interface Taking {
  readonly who: ProcessIdentity;
  readonly now: number;
  readonly observe: Observe;
  /** Also takes the lease from another process that is alive: the caller asked for it. */
  readonly takeOver?: boolean;
}

/** Takes the lease, or throws `LeaseHeld`. Must be called inside a transaction. */
export function takeLease(connection: Connection, runId: string, { who, now, observe, takeOver }: Taking): TakenLease {
  const holder = leaseHolder(connection);
  if (holder && (!takeOver || isSame(holder, who))) {
    const seen = observe(holder);
    if (seen.is !== "dead") throw new LeaseHeld(runId, holder, seen.is === "watched" ? seen.leftMs : undefined);
  }
  const token = randomBytes(8).toString("hex");
  connection
    .prepare("INSERT OR REPLACE INTO lease (only, host, pid, start, since, heard, token) VALUES (1, ?, ?, ?, ?, ?, ?)")
    .run([who.host, who.pid, who.start, now, now, token]);
  return holder ? { token, takenOver: holder } : { token };
}

/** Whether the lease was still ours, and is marked as such: always with another time than before, which is what others watch. */
export const renewLease = (connection: Connection, token: string, now: number): boolean =>
  connection.prepare("UPDATE lease SET heard = ? + (heard = ?) WHERE token = ?").run([now, now, token]) === 1;

export const hasLease = (connection: Connection, token: string): boolean =>
  connection.prepare("SELECT 1 FROM lease WHERE token = ?").get([token]) !== undefined;

export function freeLease(connection: Connection, token: string): void {
  connection.prepare("DELETE FROM lease WHERE token = ?").run([token]);
}
