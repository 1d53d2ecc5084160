// Firings of triggers, shared by all who drive them. A mark is a row of its own: two cannot both write it. On a fleet a firing
// and its run's place in the queue are written in one transaction (`begins`), so what counts against a group is what stands here.
import { mapMaybe } from "../../base/awaitable.ts";
import type { Firing, FiringStatus, Firings, NewFiring, TriggerState } from "../firings.ts";
import { isoTime, keptText, textKept } from "../rows/columns.ts";
import { isOpenTo, openValue } from "./seal.ts";
import {
  allOf,
  first,
  fleetOnly,
  raw,
  read,
  rows,
  run,
  type Sql,
  type SqlWork,
  type StateHost,
  sql,
  write,
} from "./sql.ts";

interface Row {
  readonly run_id: string;
  readonly trigger_name: string;
  readonly status: FiringStatus;
  readonly fired: number | string;
  readonly ended: number | string | null;
  /** On a fleet: the run is in the queue. */
  readonly begun?: boolean;
  readonly group_key: string | null;
  readonly group_limit: number | null;
  readonly depth: number;
  readonly reason: string | null;
  /** What it was fired with, on one machine and on a fleet. */
  readonly body?: string;
  readonly data?: string;
}

interface StateRow {
  readonly trigger_name: string;
  readonly paused: boolean | number;
  readonly seen: number | string | null;
  readonly paused_by: string | null;
  readonly paused_at: number | string | null;
  readonly hindered?: string | null;
}

/** With whose it is: the columns can be written by who has no key. Left out by an older Segno. */
type Sealed = Pick<Firing, "body" | "group"> & { readonly trigger?: string };

export interface FiringTableOptions {
  readonly recording: StateHost["transaction"];
  /** Of rows of firings that `failed` says: a condition for those of which there is a run. */
  madeRun(failed: Sql): SqlWork<Sql>;
}

export function firingTable(host: StateHost, { recording, madeRun }: FiringTableOptions): Firings {
  const { seal } = host;
  const [firings, marks, triggers] = [host.table("firings"), host.table("firing_marks"), host.table("triggers")];
  const startable = sql`status = 'fired'${fleetOnly(host, raw(" and not begun"))}`;
  const closedReason = (runId: string, reason: string | undefined): string | null =>
    reason === undefined ? null : seal.close(keptText(reason), [runId, "firing", "reason"]);

  function firingOf(row: Row): Firing {
    const { body, group, trigger = row.trigger_name } = row.data === undefined ? plain(row) : sealed(row, row.data);
    const reason = row.reason === null ? null : textKept(seal.open(row.reason, [row.run_id, "firing", "reason"]));
    return { ...columnsOf(row), trigger, reason, body, ...(group ? { group } : {}) };
  }
  const sealed = (row: Row, data: string): Sealed => openValue<Sealed>(seal, data, [row.run_id, "firing"]);

  function* get(runId: string): SqlWork<Firing | undefined> {
    const row = yield* first<Row>(sql`select * from ${firings} where run_id = ${runId}`);
    return row && firingOf(row);
  }

  /** The firing with the first of the marks that still counts. */
  function* marked(trigger: string, names: readonly string[], now: number): SqlWork<Firing | undefined> {
    if (names.length === 0) return undefined;
    const found = yield* rows<Row & { readonly mark: string }>(
      sql`select f.*, m.mark from ${marks} m join ${firings} f on f.run_id = m.run_id
        where m.trigger_name = ${trigger} and ${host.among(raw("m.mark"), names)} and (m.until is null or m.until > ${now})`,
    );
    const [row] = [...found].sort((one, other) => names.indexOf(one.mark) - names.indexOf(other.mark));
    // Else a process with another key, or with none, has fired for the same cause: that is enough to know.
    return row && (isOpenTo(seal, row.data ?? "") ? firingOf(row) : columnsOf(row));
  }

  function* isBusy(trigger: string): SqlWork<boolean> {
    const busy = yield* first(
      sql`select run_id from ${firings} where trigger_name = ${trigger} and status in ('fired', 'waits') limit 1`,
    );
    return busy !== undefined;
  }

  function* record(firing: NewFiring): SqlWork<{ readonly firing: Firing; readonly isNew: boolean }> {
    const { runId, trigger, group, depth, body, at: now } = firing;
    yield* host.lock(`segno trigger ${trigger}`);
    const own = firing.marks.map(({ name, until = null }) => ({ mark: host.digest(keptText(name)), until }));
    const names = own.map(({ mark }) => mark);
    const before = yield* marked(trigger, names, now);
    // Its own, when the connection was lost after the commit.
    if (before) return { firing: before, isNew: before.runId === runId };
    const skipped = firing.skipped ?? (firing.skipIfBusy && (yield* isBusy(trigger)) ? firing.skipIfBusy : undefined);
    const status: FiringStatus = firing.refused !== undefined ? "failed" : skipped === undefined ? "fired" : "skipped";
    const data: Sealed = { trigger, body, ...(group ? { group } : {}) };
    yield* run(
      sql`insert into ${firings} (run_id, trigger_name, status, fired, ended, group_key, group_limit, depth, reason, ${raw(host.isFleet ? "data" : "body")})
        values (${runId}, ${trigger}, ${status}, ${now}, ${status === "fired" ? null : now}, ${group ? host.digest(keptText(group.key)) : null},
          ${group?.limit ?? null}, ${depth}, ${closedReason(runId, firing.refused ?? skipped)},
          ${seal.close(JSON.stringify(host.isFleet ? data : body), [runId, "firing"])})
        on conflict (run_id) do nothing`,
    );
    for (const { mark, until } of own)
      yield* run(
        sql`insert into ${marks} (trigger_name, mark, run_id, until) values (${trigger}, ${mark}, ${runId}, ${until})
          on conflict (trigger_name, mark) do update set run_id = excluded.run_id, until = excluded.until`,
      );
    return { firing: (yield* get(runId)) as Firing, isNew: true };
  }

  function* claim(runId: string, owner: string): SqlWork<boolean> {
    const row = yield* first<Pick<Row, "group_key" | "group_limit">>(
      sql`select group_key, group_limit from ${firings} where run_id = ${runId} and ${startable}`,
    );
    if (!row) return false;
    const { group_key: group, group_limit: limit } = row;
    const lives = yield* host.living(
      sql`${firings} where ${group === null ? sql`run_id = ${runId}` : sql`group_key = ${group} and status = 'fired'`}`,
    );
    const goesOn = sql`(${fleetOnly(host, raw("begun or "))}${lives})`;
    if (group !== null) {
      yield* host.lock(`segno firings of ${group}`);
      // Taken from those who are gone, so that one who only stood still cannot begin it any more.
      yield* run(
        sql`update ${firings} set owner = null
          where group_key = ${group} and status = 'fired' and owner is not null and not ${goesOn}`,
      );
      const others = yield* first<{ n: number | string }>(
        sql`select count(*) as n from ${firings} where group_key = ${group} and run_id <> ${runId}
          and (status = 'waits' or status = 'fired' and (${fleetOnly(host, raw("begun or "))}owner is not null))`,
      );
      if (Number(others?.n ?? 0) >= (limit ?? 1)) return false;
    }
    // Its own, when the connection to the fleet was lost after the commit. On one machine all of a process claim by one name.
    const isOwn = fleetOnly(host, sql` or owner = ${owner}`);
    const taken = yield* run(
      sql`update ${firings} set owner = ${owner} where run_id = ${runId} and ${startable} and (owner is null${isOwn} or not ${goesOn})`,
    );
    return taken === 1;
  }

  const states = (names: readonly string[]) =>
    mapMaybe(
      read<StateRow>(host, sql`select * from ${triggers} where ${host.among(raw("trigger_name"), names)}`),
      (found): ReadonlyMap<string, TriggerState> => new Map(found.map((row) => [row.trigger_name, stateOf(row)])),
    );

  /** Never backwards. */
  const seen = raw("seen = case when t.seen > excluded.seen then t.seen else excluded.seen end");

  // In one order: two who do this at once do not wait for each other.
  const see = (names: readonly string[], until: number) =>
    write(
      host,
      sql`insert into ${triggers} as t (trigger_name, paused, seen) select value, false, ${until} from ${host.each(names)} where true order by value
        on conflict (trigger_name) do update set ${seen}${fleetOnly(host, raw(", hindered = null"))}`,
    );

  const firingTable: Firings = {
    record: (firing) => recording(() => record(firing)),

    get: (runId) => host.do(() => get(runId)),

    list: ({ trigger, status, limit = 1000, order = "newest" } = {}) => {
      const way = order === "oldest" ? "asc" : "desc";
      const wanted = allOf([
        ...(trigger === undefined ? [] : [sql`trigger_name = ${trigger}`]),
        ...(status === undefined ? [] : [sql`status = ${status}`]),
      ]);
      const inOrder = raw(`fired ${way}, ${host.isFleet ? "made" : "rowid"} ${way}`);
      return mapMaybe(
        read<Row>(host, sql`select * from ${firings} where ${wanted} order by ${inOrder} limit ${limit}`),
        (found) =>
          host.readable(found, (row) => `a firing of the trigger ${row.trigger_name} (run ${row.run_id})`, firingOf, {
            // A firing sealed with another key, even the only one, must not keep triggers from being driven. The process
            // that drives them asks for those of one status.
            ifSealed: seal.isSealed || status !== undefined ? "leave out" : "throw",
            todo: "It starts no run: fire the trigger by hand if one is missing (`segno triggers fire`), and remove the row from segno.firings.",
          }),
      );
    },

    claim: (runId, owner) => mapMaybe(owner ?? host.self(), (name) => host.transaction(() => claim(runId, name))),

    release: (runId) => write(host, sql`update ${firings} set owner = null where run_id = ${runId}`),

    wait: (runId) =>
      write(
        host,
        sql`update ${firings} set status = 'waits', owner = null where run_id = ${runId} and status = 'fired'`,
      ),

    goOn: (runId) =>
      write(host, sql`update ${firings} set status = 'fired' where run_id = ${runId} and status = 'waits'`),

    settle: (runId, status, reason) =>
      write(
        host,
        sql`update ${firings} set status = ${status}, reason = ${closedReason(runId, reason)}, ended = ${host.now()}, owner = null
          where run_id = ${runId} and status in ('fired', 'waits')`,
      ),

    state: (trigger) =>
      mapMaybe(states([trigger]), (found) => found.get(trigger) ?? { paused: false, seenUntil: null }),

    setPaused: (trigger, paused, now, by) =>
      write(
        host,
        sql`insert into ${triggers} as t (trigger_name, paused, seen, paused_by, paused_at) values (${trigger}, ${paused}, ${now}, ${by ?? null}, ${now})
          on conflict (trigger_name) do update set paused = excluded.paused, ${seen}, paused_by = excluded.paused_by, paused_at = excluded.paused_at`,
      ),

    see: (trigger, until) => see([trigger], until),

    takeBack: (trigger, until, now) =>
      host.transaction(function* () {
        yield* run(sql`update ${triggers} set seen = ${until} where trigger_name = ${trigger} and seen > ${until}`);
        const later = sql`${firings} where trigger_name = ${trigger} and fired > ${now}`;
        const isRun = yield* madeRun(sql`${later} and status = 'failed'`);
        // Its marks count no more without it.
        yield* run(sql`delete from ${later} and (status = 'skipped' or status = 'failed' and not ${isRun})`);
      }),

    expire: (before, now) =>
      host.transaction(function* () {
        const gone = yield* run(
          sql`delete from ${firings} where status not in ('fired', 'waits') and fired < ${before}`,
        );
        yield* run(
          sql`delete from ${marks} as m where m.until < ${now} or not exists (select 1 from ${firings} f where f.run_id = m.run_id)`,
        );
        return gone;
      }),
  };
  if (!host.isFleet) return firingTable;
  return {
    ...firingTable,
    together: { states: async (names) => states(names), see: async (names, until) => see(names, until) },

    /** Not sealed, unlike a firing: its readers have other keys. */
    hinder: async (trigger, why) =>
      write(
        host,
        sql`update ${triggers} set hindered = ${keptText(why)} where trigger_name = ${trigger} and hindered is distinct from ${keptText(why)}`,
      ),
  };
}

const stateOf = ({ paused, seen, paused_by: by, paused_at: at, hindered }: StateRow): TriggerState => ({
  paused: Boolean(paused),
  seenUntil: seen === null ? null : Number(seen),
  ...(paused && by !== null && at !== null ? { pausing: { by, at: Number(at) } } : {}),
  ...(hindered ? { hindered } : {}),
});

const plain = ({ body = "{}", group_key: key, group_limit: limit }: Row): Sealed => ({
  body: JSON.parse(body) as Firing["body"],
  ...(key === null ? {} : { group: { key: textKept(key), limit: limit ?? 1 } }),
});

/** What can be read without a key. */
const columnsOf = (row: Row): Firing => ({
  runId: row.run_id,
  trigger: row.trigger_name,
  status: row.status,
  isPlaced: row.begun ?? false,
  firedAt: isoTime(row.fired),
  endedAt: row.ended === null ? null : isoTime(row.ended),
  reason: null,
  depth: row.depth,
  body: {},
});
