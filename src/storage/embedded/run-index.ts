// The index of runs: one row each, so that lists and "the newest that can be resumed" open no journal.
// It is written when a drive begins and when it ends, and can be rebuilt from the runs' folders.
import type { RunStatus } from "../../base/events/state/state.ts";
import { LEAST_OF_RUN_ID } from "../../base/events/typeable.ts";
import type { ProcessIdentity } from "../liveness.ts";
import {
  FACT_COLUMNS,
  figuresPart,
  indexedRun,
  RUN_COLUMNS,
  type RunRow,
  valuesOfFacts,
  valuesOfRun,
} from "../rows/columns.ts";
import { wantedMarks } from "../rows/input-marks.ts";
import {
  ENDED,
  type FiguresFilter,
  type FiguresPart,
  type IndexChanges,
  type IndexedRun,
  type RunFacts,
  type RunFilter,
  type RunIndex,
  type RunRecord,
} from "../run-index.ts";
import type { RunEnding } from "../run-log.ts";
import { type Connection, immediately, type SqlValue } from "../sqlite/connection.ts";

const LAST_CHANGE =
  "max(coalesce((SELECT max(changed) FROM runs), 0), coalesce((SELECT max(changed) FROM removed), 0))";

type Condition = readonly [condition: string, values: readonly SqlValue[]];

const ofNoEval: Condition = ["eval_id IS NULL", []];

function conditionsOf({ status, workflow, file, inputs = {}, before }: Omit<RunFilter, "withEvals" | "limit">) {
  const statuses = status === undefined ? [] : [status].flat();
  return [
    ...(status === undefined ? [] : [[`status IN (${statuses.map(() => "?").join(", ")})`, statuses] as const]),
    ...(workflow === undefined ? [] : [["workflow = ?", [workflow]] as const]),
    ...(file === undefined ? [] : [["file = ?", [file]] as const]),
    ...(before === undefined ? [] : [["run_id < ?", [before]] as const]),
    ...wantedMarks(inputs).map(
      (marks): Condition => [`(${marks.map(() => "instr(input_marks, ?) > 0").join(" OR ")})`, marks],
    ),
  ] satisfies readonly Condition[];
}

function whereOf(conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return ["", []];
  return [
    `WHERE ${conditions.map(([condition]) => condition).join(" AND ")}`,
    conditions.flatMap(([, values]) => values),
  ];
}

/** A reader that is further behind reads the whole index again. Older removals are forgotten. */
const MOST_CHANGES = 20_000;

export class RunIndexTable implements RunIndex {
  constructor(private readonly connection: Connection) {}

  begin(
    run: { readonly runId: string; readonly workflow: string; readonly file: string } & RunFacts,
    who: ProcessIdentity,
    now: number,
  ): void {
    this.#write(
      `INSERT OR REPLACE INTO runs (run_id, workflow, file, status, started, host, pid, start, resumable, ${FACT_COLUMNS.join(", ")}, changed)
       VALUES (?, ?, ?, 'running', ?, ?, ?, ?, 1, ${FACT_COLUMNS.map(() => "?").join(", ")}, ${LAST_CHANGE} + 1)`,
      [run.runId, run.workflow, run.file, now, who.host, who.pid, who.start, ...valuesOfFacts(run)],
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
    const { resumable = status === "running", facts } = ending;
    const ended = ending.ended ?? (status === "running" ? null : now);
    const known = facts ? `, ${FACT_COLUMNS.map((column) => `${column} = ?`).join(", ")}` : "";
    const values = [status, ended, failingKind, exitCode, durationMs, costUsd, Number(resumable)];
    // The writer no longer drives the run, even if its process lives on (a server, say).
    this.#writeRow(
      { ...facts, runId },
      `UPDATE runs SET status = ?, ended = ?, failing_kind = ?, exit_code = ?, duration_ms = ?, cost_usd = ?, resumable = ?${known},
         host = NULL, pid = NULL, start = NULL, changed = ${LAST_CHANGE} + 1 WHERE run_id = ?`,
      [...values, ...(facts ? valuesOfFacts(facts) : []), runId],
    );
  }

  put(run: RunRecord): void {
    const columns = [...RUN_COLUMNS, ...FACT_COLUMNS];
    this.#writeRow(
      run,
      `INSERT OR REPLACE INTO runs (${columns.join(", ")}, changed) VALUES (${columns.map(() => "?").join(", ")}, ${LAST_CHANGE} + 1)`,
      [...valuesOfRun(run), ...valuesOfFacts(run)],
    );
  }

  /** The row, and the run's figures where it has any, in one commit. */
  #writeRow(
    { runId, figures }: { readonly runId: string } & Pick<RunFacts, "figures">,
    sql: string,
    values: readonly SqlValue[],
  ): void {
    if (figures === undefined) {
      this.#write(sql, values);
      return;
    }
    immediately(this.connection, () => {
      this.#write(sql, values);
      this.#write("INSERT OR REPLACE INTO figures (run_id, figures) VALUES (?, ?)", [runId, JSON.stringify(figures)]);
    });
  }

  remove(runId: string): void {
    this.removeAll([runId]);
  }

  /** Within a transaction of the caller's, when there are several. */
  removeAll(runIds: readonly string[]): void {
    const note = this.connection.prepare(`INSERT INTO removed (changed, run_id) VALUES (${LAST_CHANGE} + 1, ?)`);
    const removals = ["runs", "figures"].map((table) =>
      this.connection.prepare(`DELETE FROM ${table} WHERE run_id = ?`),
    );
    for (const runId of runIds) {
      note.run([runId]);
      for (const remove of removals) remove.run([runId]);
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
  list({ withEvals = false, limit = -1, ...filter }: RunFilter = {}): IndexedRun[] {
    const [where, values] = whereOf([...conditionsOf(filter), ...(withEvals ? [] : [ofNoEval])]);
    return this.connection
      .prepare<RunRow>(`SELECT * FROM runs ${where} ORDER BY run_id DESC LIMIT ?`)
      .all([...values, limit])
      .map(indexedRun);
  }

  figures({ since, until, ofEvals = false, limit = -1, status = ENDED, ...filter }: FiguresFilter): FiguresPart {
    const [where, values] = whereOf([
      ...conditionsOf({ ...filter, status }),
      ofEvals ? ["eval_id IS NOT NULL", []] : ["rehearsal = 0 AND eval_id IS NULL", []],
      ...(since === undefined ? [] : [["started >= ?", [since]] as const]),
      ...(until === undefined ? [] : [["started < ?", [until]] as const]),
    ]);
    // One text for all runs of a workflow: to take 100 000 rows out of the database would take longer than all the rest.
    const found = this.connection
      .prepare<{ workflow: string; file: string; runs: number; last: string; figures: string }>(
        `SELECT workflow, file, count(*) AS runs, min(run_id) AS last, '[' || group_concat(figures, ',') || ']' AS figures FROM (
           SELECT run_id, workflow, file,
             coalesce(figures, json_array(status, exit_code, duration_ms, cost_usd, failing_kind)) AS figures
           FROM runs LEFT JOIN figures USING (run_id) ${where} ORDER BY run_id DESC LIMIT ?
         ) GROUP BY workflow, file`,
      )
      .all([...values, limit]);
    return figuresPart(found, limit);
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
