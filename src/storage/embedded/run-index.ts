// The index of runs: one row each, so that lists and "the newest that can be resumed" open no journal.
// It is written when a drive begins and when it ends, and can be rebuilt from the runs' folders.
import type { RunStatus } from "../../base/events/state/state.ts";
import { LEAST_OF_RUN_ID } from "../../base/events/typeable.ts";
import type { ProcessIdentity } from "../liveness.ts";
import { indexedRun, RUN_COLUMNS, type RunRow, valuesOfRun } from "../rows/columns.ts";
import type { IndexChanges, IndexedRun, RunFilter, RunIndex } from "../run-index.ts";
import type { RunEnding } from "../run-log.ts";
import type { Connection, SqlValue } from "../sqlite/connection.ts";

const LAST_CHANGE =
  "max(coalesce((SELECT max(changed) FROM runs), 0), coalesce((SELECT max(changed) FROM removed), 0))";

/** A reader that is further behind reads the whole index again. Older removals are forgotten. */
const MOST_CHANGES = 20_000;

export class RunIndexTable implements RunIndex {
  constructor(private readonly connection: Connection) {}

  begin(
    run: { readonly runId: string; readonly workflow: string; readonly file: string },
    who: ProcessIdentity,
    now: number,
  ): void {
    this.#write(
      `INSERT OR REPLACE INTO runs (run_id, workflow, file, status, started, host, pid, start, resumable, changed)
       VALUES (?, ?, ?, 'running', ?, ?, ?, ?, 1, ${LAST_CHANGE} + 1)`,
      [run.runId, run.workflow, run.file, now, who.host, who.pid, who.start],
    );
  }

  /** A further drive began: how the one before it ended is not how the run stands. False when the run is not indexed. */
  resume(runId: string, who: ProcessIdentity): boolean {
    const sql = `UPDATE runs SET status = 'running', ended = NULL, failing_kind = NULL, exit_code = NULL, duration_ms = NULL,
      host = ?, pid = ?, start = ?, changed = ${LAST_CHANGE} + 1 WHERE run_id = ?`;
    return this.#write(sql, [who.host, who.pid, who.start, runId]) === 1;
  }

  setStatus(runId: string, status: RunStatus, ending: RunEnding, now: number): void {
    const { failingKind = null, exitCode = null, durationMs = null, costUsd = null } = ending;
    const { resumable = status === "running" } = ending;
    const ended = ending.ended ?? (status === "running" ? null : now);
    // The writer no longer drives the run, even if its process lives on (a server, say).
    this.#write(
      `UPDATE runs SET status = ?, ended = ?, failing_kind = ?, exit_code = ?, duration_ms = ?, cost_usd = ?, resumable = ?,
         host = NULL, pid = NULL, start = NULL, changed = ${LAST_CHANGE} + 1 WHERE run_id = ?`,
      [status, ended, failingKind, exitCode, durationMs, costUsd, Number(resumable), runId],
    );
  }

  put(run: IndexedRun): void {
    this.#write(
      `INSERT OR REPLACE INTO runs (${RUN_COLUMNS.join(", ")}, changed) VALUES (${RUN_COLUMNS.map(() => "?").join(", ")}, ${LAST_CHANGE} + 1)`,
      valuesOfRun(run),
    );
  }

  remove(runId: string): void {
    this.removeAll([runId]);
  }

  /** Within a transaction of the caller's, when there are several. */
  removeAll(runIds: readonly string[]): void {
    const note = this.connection.prepare(`INSERT INTO removed (changed, run_id) VALUES (${LAST_CHANGE} + 1, ?)`);
    const remove = this.connection.prepare("DELETE FROM runs WHERE run_id = ?");
    for (const runId of runIds) {
      note.run([runId]);
      remove.run([runId]);
    }
    this.#write(`DELETE FROM removed WHERE changed < ${LAST_CHANGE} - ${MOST_CHANGES}`, []);
  }

  changes(cursor?: string): IndexChanges {
    const last = this.connection.prepare<{ last: number }>(`SELECT ${LAST_CHANGE} AS last`).get([])?.last ?? 0;
    const from = cursor === undefined ? last : Number(cursor);
    const isLost = from > last || last - from > MOST_CHANGES;
    const since = (table: string): string[] =>
      isLost || from === last
        ? []
        : this.#ids(`SELECT run_id FROM ${table} WHERE changed > ? AND changed <= ?`, [from, last]);
    return { cursor: String(last), changed: since("runs"), removed: since("removed"), isLost };
  }

  get(runId: string): IndexedRun | undefined {
    const row = this.connection.prepare<RunRow>("SELECT * FROM runs WHERE run_id = ?").get([runId]);
    return row && indexedRun(row);
  }

  /** Newest first: ids sort by time. */
  list({ status = [], workflow, file, before, limit = -1 }: RunFilter = {}): IndexedRun[] {
    const statuses = [status].flat();
    const given: readonly (readonly [condition: string, values: readonly (string | undefined)[]])[] = [
      [`status IN (${statuses.map(() => "?").join(", ")})`, statuses],
      ...([
        ["workflow = ?", [workflow]],
        ["file = ?", [file]],
        ["run_id < ?", [before]],
      ] as const),
    ];
    const wanted = given.filter(([, [first]]) => first !== undefined);
    const where = wanted.length > 0 ? `WHERE ${wanted.map(([condition]) => condition).join(" AND ")}` : "";
    return this.connection
      .prepare<RunRow>(`SELECT * FROM runs ${where} ORDER BY run_id DESC LIMIT ?`)
      .all([...wanted.flatMap(([, values]) => values as readonly string[]), limit])
      .map(indexedRun);
  }

  withPart(part: string): string[] {
    return this.#ids(
      `SELECT run_id FROM runs WHERE run_id >= ? AND run_id < ?
       UNION SELECT run_id FROM runs WHERE substr(run_id, -${LEAST_OF_RUN_ID}) = ? AND substr(run_id, -length(?)) = ? ORDER BY run_id`,
      [part, `${part}~`, part.slice(-LEAST_OF_RUN_ID), part, part],
    );
  }

  ids(): string[] {
    return this.#ids("SELECT run_id FROM runs ORDER BY run_id DESC", []);
  }

  #ids(sql: string, values: readonly SqlValue[]): string[] {
    const rows = this.connection.prepare<{ run_id: string }>(sql).all(values);
    return rows.map(({ run_id }) => run_id);
  }

  #write(sql: string, values: readonly SqlValue[]): number {
    return this.connection.prepare(sql).run(values);
  }
}
