// The index of runs on Postgres: one row each, which also says which drive was placed last and whether it has ended.
import { LEAST_OF_RUN_ID } from "../../../base/events/typeable.ts";
import {
  indexedRun,
  isoTime,
  keptText,
  RUN_COLUMNS,
  type RunRow,
  textKept,
  valuesOfRun,
} from "../../../storage/rows/columns.ts";
import {
  ENDED,
  type FiguresFilter,
  type FiguresPart,
  type IndexChanges,
  type IndexedRun,
  type RunFilter,
  type RunIndex,
  type RunRecord,
} from "../../../storage/run-index.ts";
import type { RunMeta } from "../../../storage/run-reader.ts";
import { type Seal, sealingKey } from "../../../storage/state/seal.ts";
import { type SqlParameter, run as write } from "../../../storage/state/sql.ts";
import type { RunsByFile, StoredRun } from "../../../storage/store.ts";
import { StoreError } from "../../../storage/store-error.ts";
import { type Database, doneIn } from "./database.ts";
import { requireRunId } from "./lease.ts";
import { type FleetMembers, isHeard, nowAt } from "./members.ts";
import type { StoreAccess } from "./reader.ts";
import { type FactsRow, figuresKept, figuresOfRuns, inputConditions, keepingFacts, nameKept } from "./run-facts.ts";

interface FleetRunRow extends RunRow {
  readonly drive_ended: boolean;
  readonly lives: boolean;
  readonly own_time: Date | null;
  readonly request: string | null;
}

/** Of a run `r` with its lease `l`: a living process has it, or had it last; `$1` and `$2` are the time and the silence. */
const LIVES = `(coalesce(segno.lives(l.holder, ${nowAt(1)}, $2), false) or exists (
    select 1 from segno.workers w where r.start is not null and right(w.worker, 10) = r.start
      and not w.dead and ${isHeard(1, 2)}
  ))`;

const LEASED = "segno.runs r left join segno.leases l on l.run_id = r.run_id and l.stream = ''";

/** Of a run `r`: until when it waits and needs no worker. Once that is past it waits for one. */
export const OWN_TIME = "case when r.wakes_at > clock_timestamp() then r.wakes_at end";

const SELECT = `select r.*, f.name, f.eval_id, ${LIVES} as lives, ${OWN_TIME} as own_time
  from ${LEASED} left join segno.run_facts f on f.run_id = r.run_id`;

/** Runs underway that no worker has: whether each waits for its own time, and since when for a worker; if that was lost, since its last heartbeat. */
export const WAITING = `select ${OWN_TIME} is not null as sleeps, greatest(
    (extract(epoch from greatest(r.placed_at, r.wakes_at)) * 1000)::bigint,
    (select heard from segno.workers w where w.worker = l.holder)) as since
  from ${LEASED} where not r.drive_ended and not ${LIVES}`;

const orNull = (text: string | null | undefined): string | null => (text == null ? null : keptText(text));

/** What people wrote, as they wrote it. */
const withTexts = <Row extends Pick<FleetRunRow, "workflow" | "file" | "failing_kind">>(row: Row): Row => ({
  ...row,
  workflow: textKept(row.workflow),
  file: textKept(row.file),
  failing_kind: row.failing_kind === null ? null : textKept(row.failing_kind),
});

const whereOf = (conditions: readonly string[]): string =>
  conditions.length > 0 ? `where ${conditions.join(" and ")}` : "";

/** A reader that is further behind reads the whole index again. */
const MOST_CHANGES = 20_000;
/** The highest transaction id: nothing has changed since. */
const NEVER = "18446744073709551615";

export class RunIndexTable implements RunIndex, RunsByFile {
  constructor(
    private readonly database: Database,
    private readonly members: FleetMembers,
    private readonly seal: Seal,
  ) {}

  async row(runId: string): Promise<FleetRunRow | undefined> {
    return (await this.#select("where r.run_id = $3", [runId]))[0];
  }

  rows({ withEvals = false, limit, ...filter }: RunFilter = {}): Promise<readonly FleetRunRow[]> {
    const values: SqlParameter[] = [];
    const parameter = (value: SqlParameter): string => `$${values.push(value) + 2}`;
    const wanted = [...this.#conditions(filter, parameter), ...(withEvals ? [] : ["f.eval_id is null"])];
    const most = limit === undefined ? "" : `limit ${parameter(limit)}`;
    return this.#select(`${whereOf(wanted)} order by r.run_id desc ${most}`, values);
  }

  async figures({
    since,
    until,
    ofEvals = false,
    limit,
    status = ENDED,
    ...filter
  }: FiguresFilter): Promise<FiguresPart> {
    const values: SqlParameter[] = [];
    const parameter = (value: SqlParameter): string => `$${values.push(value)}`;
    const wanted = [
      ...this.#conditions({ ...filter, status }, parameter),
      ofEvals ? "f.eval_id is not null" : "not coalesce(f.rehearsal or f.eval_id is not null, false)",
      ...(since === undefined ? [] : [`r.started >= ${parameter(since)}`]),
      ...(until === undefined ? [] : [`r.started < ${parameter(until)}`]),
    ];
    const most = limit === undefined ? "" : `limit ${parameter(limit)}`;
    const found = await this.database.rows<FactsRow>(
      figuresOfRuns(`${whereOf(wanted)} order by r.run_id desc ${most}`),
      values,
    );
    return figuresKept(this.seal, found, limit);
  }

  /** Only what is asked for stands in the statement: a condition that may be left out keeps Postgres from using an index. */
  #conditions(
    { status, workflow, file, before, inputs = {} }: Omit<RunFilter, "withEvals" | "limit">,
    parameter: (value: SqlParameter) => string,
  ): readonly string[] {
    return [
      ...(status === undefined ? [] : [`r.status = any(${parameter([status].flat())}::text[])`]),
      ...(workflow === undefined ? [] : [`r.workflow = ${parameter(keptText(workflow))}`]),
      ...(file === undefined ? [] : [`r.file = ${parameter(keptText(file))}`]),
      ...(before === undefined ? [] : [`r.run_id < ${parameter(before)}`]),
      ...inputConditions(this.seal, inputs, parameter),
    ];
  }

  /** From one file to the next in the index of files: as many looks as there are files. */
  async files(): Promise<readonly string[]> {
    const next = (after: string): string => `(select r.file from segno.runs r ${after} order by r.file limit 1)`;
    const rows = await this.database.rows<{ file: string }>(
      `with recursive files as (${next("")} union all select ${next("where r.file > files.file")} from files where files.file is not null)
       select file from files where file is not null`,
    );
    return rows.map(({ file }) => textKept(file));
  }

  async nthNewest(n: number, file: string, workflow?: string): Promise<string | undefined> {
    const named = workflow === undefined ? [] : [keptText(workflow)];
    const [row] = await this.database.rows<{ run_id: string }>(
      `select run_id from segno.runs where file = $1 ${named.length > 0 ? "and workflow = $3" : ""}
       order by run_id desc offset $2 limit 1`,
      [keptText(file), n - 1, ...named],
    );
    return row?.run_id;
  }

  rowsOf(runIds: readonly string[]): Promise<readonly FleetRunRow[]> {
    return this.#select("where r.run_id = any($3::text[])", [runIds]);
  }

  async changes(cursor?: string): Promise<IndexChanges> {
    const [row] = await this.database.rows<{ cursor: string; changed: readonly string[]; removed: readonly string[] }>(
      `select pg_snapshot_xmin(pg_current_snapshot())::text as cursor,
         coalesce(array_agg(c.run_id) filter (where not c.removed), '{}') as changed,
         coalesce(array_agg(c.run_id) filter (where c.removed), '{}') as removed
       from (select run_id, removed from segno.run_changes
         where changed >= $1::xid8 and changed < pg_snapshot_xmax(pg_current_snapshot()) limit ${MOST_CHANGES}) c`,
      [cursor ?? NEVER],
    );
    const { changed = [], removed = [] } = row ?? {};
    const isLost = changed.length + removed.length === MOST_CHANGES;
    return { cursor: row?.cursor ?? NEVER, changed, removed, isLost };
  }

  async #select(where: string, values: readonly SqlParameter[]): Promise<readonly FleetRunRow[]> {
    const { clock, silenceMs } = this.members;
    const rows = await this.database.rows<FleetRunRow>(`${SELECT} ${where}`, [clock, silenceMs, ...values]);
    return rows.map((row) => ({ ...withTexts(row), name: nameKept(this.seal, row.run_id, row.name) }));
  }

  async get(runId: string): Promise<IndexedRun | undefined> {
    const row = await this.row(runId);
    return row && indexedRun(row);
  }

  async list(filter: RunFilter = {}): Promise<readonly IndexedRun[]> {
    return this.readable(await this.rows(filter), indexedRun);
  }

  readable<Item>(rows: readonly FleetRunRow[], read: (row: FleetRunRow) => Item): readonly Item[] {
    return this.database.leftOut.readable(rows, ({ run_id }) => `the run ${run_id}`, read);
  }

  async withPart(part: string): Promise<readonly string[]> {
    // Between these, whatever the order of letters is in this database; what else is there is left out by the second look.
    const rows = await this.database.rows<{ run_id: string }>(
      `select run_id from segno.runs where run_id >= $1 and run_id <= $2 and starts_with(run_id, $1)
       union select run_id from segno.runs where right(run_id, ${LEAST_OF_RUN_ID}) = $3 and right(run_id, length($1)) = $1
       order by run_id`,
      [part, `${part}zzzzzzzz`, part.slice(-LEAST_OF_RUN_ID)],
    );
    if (rows.length > 0 || part.length >= LEAST_OF_RUN_ID) return rows.map(({ run_id }) => run_id);
    // Too short to be used: whether any run matches decides which message the caller gets.
    const ending = await this.database.rows<{ run_id: string }>(
      "select run_id from segno.runs where right(run_id, length($1)) = $1 limit 1",
      [part],
    );
    return ending.map(({ run_id }) => run_id);
  }

  async put(run: RunRecord): Promise<void> {
    const [workflow, file] = [keptText(run.workflow), keptText(run.file)];
    const values = valuesOfRun({ ...run, workflow, file, failingKind: orNull(run.failingKind) });
    await this.database.run(
      `insert into segno.runs (${RUN_COLUMNS.join(", ")}, durability, version)
       values (${RUN_COLUMNS.map((_, at) => `$${at + 1}`).join(", ")}, 'process', '')
       on conflict (run_id) do update set ${RUN_COLUMNS.map((column) => `${column} = excluded.${column}`).join(", ")}`,
      values,
    );
    await doneIn(this.database, write(keepingFacts(this.seal, run.runId, run, "true")));
  }

  async remove(runId: string): Promise<void> {
    for (const table of ["runs", "run_facts"])
      await this.database.run(`delete from segno.${table} where run_id = $1`, [runId]);
  }
}

/**
 * A run whose worker is gone is not crashed: another takes it, and it is queued until then. One that a command drove is. And
 * one that had ended or paused waits like a new one, once its next drive is placed: the row says how the last one ended until
 * a worker takes it. Only one that waits for its own time is running meanwhile.
 */
export function stored(row: FleetRunRow): StoredRun {
  const run = indexedRun(row);
  const waits = !row.drive_ended && !row.lives;
  return {
    ...run,
    ...(waits && (run.status !== "running" || row.own_time === null) ? { status: "queued" } : {}),
    crashed: row.status === "running" && row.drive_ended && !row.lives,
    ...(row.host === null ? {} : { isInReach: false }),
    ...(waits ? { waits: { sealedWith: sealingKey(row.request), until: row.own_time?.toISOString() ?? null } } : {}),
  };
}

export type MetaRow = FleetRunRow & Pick<RunMeta, "durability" | "version">;

export function metaOfRow(row: MetaRow): RunMeta {
  const { run_id: runId, workflow, file, durability, version, started } = withTexts(row);
  return { runId, workflow, file, durability, version, created: isoTime(started) };
}

export async function metaOfRun({ database }: Pick<StoreAccess, "database">, runId: string): Promise<RunMeta> {
  requireRunId(runId);
  const [row] = await database.rows<MetaRow>("select * from segno.runs where run_id = $1", [runId]);
  if (!row) throw new StoreError("missing", `There is no run ${runId} in ${database.shown}.`, database.shown);
  return metaOfRow(row);
}
