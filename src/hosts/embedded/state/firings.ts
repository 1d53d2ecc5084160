// Firings of triggers, shared by all servers on this home. A mark is a row of its own: two servers cannot both write it.
import type { Firing, FiringEnd, FiringFilter, FiringStatus, Firings, NewFiring, TriggerState } from "../../firings.ts";
import type { ProcessName } from "../../liveness.ts";
import type { Connection } from "../../sqlite/connection.ts";
import { immediately } from "../../sqlite/transaction.ts";
import type { Owners } from "./owners.ts";

interface Row {
  readonly run_id: string;
  readonly trigger_name: string;
  readonly status: FiringStatus;
  readonly fired: number;
  readonly ended: number | null;
  readonly owner: ProcessName | null;
  readonly group_key: string | null;
  readonly group_limit: number | null;
  readonly depth: number;
  readonly reason: string | null;
  readonly body: string;
}

const firingOf = (row: Row): Firing => ({
  runId: row.run_id,
  trigger: row.trigger_name,
  status: row.status,
  isPlaced: false,
  firedAt: new Date(row.fired).toISOString(),
  endedAt: row.ended === null ? null : new Date(row.ended).toISOString(),
  reason: row.reason,
  depth: row.depth,
  body: JSON.parse(row.body) as Firing["body"],
  ...(row.group_key === null ? {} : { group: { key: row.group_key, limit: row.group_limit ?? 1 } }),
});

export class FiringTable implements Firings {
  readonly #connection: Connection;
  readonly #owners: Owners;
  readonly #now: () => number;
  readonly #isRun: (runId: string) => boolean;

  /** `isRun`: whether a run of that id is in the index. */
  constructor(
    connection: Connection,
    owners: Owners,
    { now, isRun }: { readonly now: () => number; readonly isRun: (runId: string) => boolean },
  ) {
    this.#connection = connection;
    this.#owners = owners;
    this.#now = now;
    this.#isRun = isRun;
  }

  record(firing: NewFiring): { readonly firing: Firing; readonly isNew: boolean } {
    return immediately(this.#connection, () => {
      const { runId, trigger, marks, group, depth, at: now } = firing;
      for (const { name: mark } of marks) {
        const known = this.#connection
          .prepare<{ run_id: string; until: number | null }>(
            "SELECT run_id, until FROM firing_marks WHERE trigger_name = ? AND mark = ?",
          )
          .get([trigger, mark]);
        const before = known && (known.until === null || known.until > now) ? this.get(known.run_id) : undefined;
        if (before) return { firing: before, isNew: false };
      }
      const skipped = firing.skipped ?? (firing.skipIfBusy && this.#isBusy(trigger) ? firing.skipIfBusy : undefined);
      const reason = firing.refused ?? skipped;
      const status: FiringStatus =
        firing.refused !== undefined ? "failed" : skipped === undefined ? "fired" : "skipped";
      this.#connection
        .prepare("INSERT INTO firings VALUES (?, ?, ?, ?, ?, NULL, ?, ?, ?, ?, ?)")
        .run([
          runId,
          trigger,
          status,
          now,
          status === "fired" ? null : now,
          group?.key ?? null,
          group?.limit ?? null,
          depth,
          reason ?? null,
          JSON.stringify(firing.body),
        ]);
      for (const { name: mark, until } of marks)
        this.#connection
          .prepare("INSERT OR REPLACE INTO firing_marks VALUES (?, ?, ?, ?)")
          .run([trigger, mark, runId, until ?? null]);
      return { firing: this.get(runId) as Firing, isNew: true };
    });
  }

  #isBusy(trigger: string): boolean {
    return (
      this.#connection
        .prepare<{ run_id: string }>(
          "SELECT run_id FROM firings WHERE trigger_name = ? AND status IN ('fired', 'waits') LIMIT 1",
        )
        .get([trigger]) !== undefined
    );
  }

  get(runId: string): Firing | undefined {
    const row = this.#row(runId);
    return row && firingOf(row);
  }

  #row(runId: string): Row | undefined {
    return this.#connection.prepare<Row>("SELECT * FROM firings WHERE run_id = ?").get([runId]);
  }

  list({ trigger, status, limit = 1000, order = "newest" }: FiringFilter = {}): Firing[] {
    const way = order === "oldest" ? "ASC" : "DESC";
    return this.#connection
      .prepare<Row>(
        `SELECT * FROM firings WHERE (? IS NULL OR trigger_name = ?) AND (? IS NULL OR status = ?) ORDER BY fired ${way}, rowid ${way} LIMIT ?`,
      )
      .all([trigger ?? null, trigger ?? null, status ?? null, status ?? null, limit])
      .map(firingOf);
  }

  claim(runId: string, owner: ProcessName = this.#owners.self()): boolean {
    return immediately(this.#connection, () => {
      const row = this.#row(runId);
      if (row?.status !== "fired") return false;
      if (row.owner !== null && this.#owners.isAlive(row.owner)) return false;
      if (row.group_key !== null && this.#goingOn(row.group_key) >= (row.group_limit ?? 1)) return false;
      this.#connection.prepare("UPDATE firings SET owner = ? WHERE run_id = ?").run([owner, runId]);
      return true;
    });
  }

  /** Of the group: those that a live process has, and those whose run waits. */
  #goingOn(group: string): number {
    return this.#connection
      .prepare<{ owner: ProcessName | null }>(
        "SELECT owner FROM firings WHERE group_key = ? AND (status = 'waits' OR (status = 'fired' AND owner IS NOT NULL))",
      )
      .all([group])
      .filter(({ owner }) => owner === null || this.#owners.isAlive(owner)).length;
  }

  release(runId: string): void {
    this.#connection.prepare("UPDATE firings SET owner = NULL WHERE run_id = ?").run([runId]);
  }

  wait(runId: string): void {
    this.#connection
      .prepare("UPDATE firings SET status = 'waits', owner = NULL WHERE run_id = ? AND status = 'fired'")
      .run([runId]);
  }

  goOn(runId: string): void {
    this.#connection.prepare("UPDATE firings SET status = 'fired' WHERE run_id = ? AND status = 'waits'").run([runId]);
  }

  settle(runId: string, status: FiringEnd, reason?: string): void {
    this.#connection
      .prepare(
        "UPDATE firings SET status = ?, reason = ?, ended = ?, owner = NULL WHERE run_id = ? AND status IN ('fired', 'waits')",
      )
      .run([status, reason ?? null, this.#now(), runId]);
  }

  state(trigger: string): TriggerState {
    const row = this.#connection
      .prepare<{ paused: number; seen: number | null; by: string | null; at: number | null }>(
        "SELECT paused, seen, paused_by AS by, paused_at AS at FROM triggers WHERE trigger_name = ?",
      )
      .get([trigger]);
    const { by, at } = row ?? {};
    const pausing = row?.paused === 1 && by != null && at != null ? { pausing: { by, at } } : {};
    return { paused: row?.paused === 1, seenUntil: row?.seen ?? null, ...pausing };
  }

  setPaused(trigger: string, paused: boolean, now: number, by?: string): void {
    this.#connection
      .prepare(
        `INSERT INTO triggers (trigger_name, paused, seen, paused_by, paused_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET paused = excluded.paused, seen = MAX(COALESCE(seen, 0), excluded.seen),
           paused_by = excluded.paused_by, paused_at = excluded.paused_at`,
      )
      .run([trigger, paused ? 1 : 0, now, by ?? null, now]);
  }

  see(trigger: string, until: number): void {
    this.#connection
      .prepare(
        "INSERT INTO triggers (trigger_name, paused, seen) VALUES (?, 0, ?) ON CONFLICT DO UPDATE SET seen = MAX(COALESCE(seen, 0), excluded.seen)",
      )
      .run([trigger, until]);
  }

  takeBack(trigger: string, until: number, now: number): void {
    immediately(this.#connection, () => {
      this.#connection
        .prepare("UPDATE triggers SET seen = ? WHERE trigger_name = ? AND seen > ?")
        .run([until, trigger, until]);
      const later = this.#connection
        .prepare<{ run_id: string; status: string }>(
          "SELECT run_id, status FROM firings WHERE trigger_name = ? AND fired > ? AND status IN ('skipped', 'failed')",
        )
        .all([trigger, now]);
      // Its marks count no more without it.
      const remove = this.#connection.prepare("DELETE FROM firings WHERE run_id = ?");
      for (const { run_id, status } of later) if (status === "skipped" || !this.#isRun(run_id)) remove.run([run_id]);
    });
  }

  expire(before: number, now: number): number {
    return immediately(this.#connection, () => {
      const gone = this.#connection
        .prepare("DELETE FROM firings WHERE status NOT IN ('fired', 'waits') AND fired < ?")
        .run([before]);
      this.#connection
        .prepare("DELETE FROM firing_marks WHERE until < ? OR run_id NOT IN (SELECT run_id FROM firings)")
        .run([now]);
      return gone;
    });
  }
}
