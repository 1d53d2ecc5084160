// Dead letters: steps and items that failed for good, with everything needed to try again later.
import { mapMaybe } from "../../base/awaitable.ts";
import { withAct } from "../letter-acts.ts";
import { isoTime, keptText, textKept } from "../rows/columns.ts";
import type { Letter, LetterAct, LetterFilter, LetterStatus, Letters } from "../shared-state.ts";
import { openValue } from "./seal.ts";
import {
  allOf,
  fleetOnly,
  raw,
  read,
  rows,
  run,
  type Sql,
  type SqlWork,
  type StateHost,
  sql,
  writeCounted,
  writtenRows,
} from "./sql.ts";

interface LetterRow {
  readonly id: string;
  readonly run_id: string;
  readonly place: string;
  readonly whole?: string | null;
  readonly workflow: string;
  readonly node: string;
  readonly kind: string;
  /** What it counts as, since a claim of a dead process is none. */
  readonly standing: LetterStatus;
  readonly first_seen: number | string;
  readonly last_seen: number | string;
  readonly count: number;
  readonly body: string;
}

export function letterTable(host: StateHost): Letters {
  const { seal, keys } = host;
  const letters = host.table("letters");
  const id = raw("id");
  // On a fleet a drive of the run may have it, while the process that placed the drive is gone.
  const isDriven = host.isFleet
    ? sql`exists (select 1 from ${host.table("runs")} r where r.run_id = letters.run_id and not r.drive_ended)`
    : raw("false");

  /** Claimed by a process while it lives, and by a drive of the run while that is underway. Else it counts as open. */
  function* standing(): SqlWork<Sql> {
    const lives = yield* host.living(sql`${letters} where status = 'retrying'`);
    return sql`case when status = 'retrying' and not ${lives} and not ${isDriven} then 'open' else status end`;
  }

  function letterOf(row: LetterRow): Letter {
    const place = keys.keyOf({ key: row.place, whole: row.whole });
    return {
      id: row.id,
      runId: row.run_id,
      place,
      workflow: textKept(row.workflow),
      node: textKept(row.node),
      kind: textKept(row.kind),
      status: row.standing,
      firstSeen: isoTime(row.first_seen),
      lastSeen: isoTime(row.last_seen),
      count: row.count,
      body: openValue<Letter["body"]>(seal, row.body, ["letter", row.run_id, place]),
    };
  }

  const closedBody = ({ runId, place, body }: Pick<Letter, "runId" | "place" | "body">): string =>
    seal.close(JSON.stringify(body), ["letter", runId, place]);

  /** `rest`: from `where` on, given what a letter counts as. */
  const select = (rest: (status: Sql) => Sql) =>
    host.do(function* () {
      const status = yield* standing();
      const found = yield* rows<LetterRow>(sql`select *, ${status} as standing from ${letters} where ${rest(status)}`);
      return host.readable(found, (row) => `the dead letter ${row.id} of run ${row.run_id}`, letterOf);
    });

  function* keepAct(ids: readonly string[], act: LetterAct): SqlWork<void> {
    const found = yield* rows<LetterRow>(
      sql`select *, status as standing from ${letters} where ${host.among(id, ids)} order by id${host.forUpdate}`,
    );
    // A body can be sealed, so that only this side can add to it.
    const bodies = found
      .map(letterOf)
      .map((one) => [one.id, closedBody({ ...one, body: withAct(one.body, act) })] as const);
    yield* run(sql`update ${letters} as l set body = kept.text from ${host.pairs(bodies)} where l.id = kept.id`);
  }

  return {
    put: (letter) =>
      host.do(function* () {
        const { runId, place } = letter;
        const kept = keys.kept(place);
        const [, ...earlier] = keys.compared(place);
        // A letter that is there under an earlier form of its place is the same one.
        if (earlier.length > 0)
          yield* run(
            sql`update ${letters} set place = ${kept.key}, whole = ${kept.whole} where run_id = ${runId} and ${host.among(raw("place"), earlier)}
              and not exists (select 1 from ${letters} l where l.run_id = ${runId} and l.place = ${kept.key})`,
          );
        const [workflow, node, kind] = [letter.workflow, letter.node, letter.kind].map(keptText);
        const now = host.now();
        const [row] = yield* writtenRows<{ id: string }>(
          sql`insert into ${letters} as l (id, run_id, place, workflow, node, kind, status, first_seen, last_seen, count, body${fleetOnly(host, sql`, whole`)})
            values (${letter.id}, ${runId}, ${kept.key}, ${workflow}, ${node}, ${kind}, 'open', ${now}, ${now}, 1, ${closedBody(letter)}${fleetOnly(host, sql`, ${kept.whole}`)})
            on conflict (run_id, place) do update set kind = excluded.kind, status = 'open', owner = null,
              last_seen = excluded.last_seen, count = l.count + 1, body = excluded.body
            returning id`,
        );
        return row?.id ?? letter.id;
      }),

    get: (wanted) =>
      mapMaybe(
        select(() => sql`id = ${wanted}`),
        ([letter]) => letter,
      ),

    list: (filter = {}) =>
      select(
        (status) =>
          sql`${allOf(conditions(host, filter, status))} order by last_seen desc, id desc${filter.limit === undefined ? raw("") : sql` limit ${filter.limit}`}`,
      ),

    unsettled: () =>
      mapMaybe(
        read<Omit<LetterRow, "body">>(
          host,
          sql`select id, run_id, workflow, kind, last_seen, count from ${letters} where status in ('open', 'retrying')
            order by last_seen desc, id desc`,
        ),
        (all) =>
          all.map((row) => ({
            id: row.id,
            runId: row.run_id,
            workflow: textKept(row.workflow),
            kind: textKept(row.kind),
            lastSeen: isoTime(row.last_seen),
            count: row.count,
          })),
      ),

    claim: (ids, owner) =>
      mapMaybe(owner ?? host.self(), (name) =>
        host.do(function* () {
          const status = yield* standing();
          const got = yield* writtenRows<{ id: string }>(
            sql`update ${letters} set status = 'retrying', owner = ${name}
              where id in (select id from ${letters} where ${host.among(id, ids)}${host.forUpdate}) and ${status} = 'open' returning id`,
          );
          const ours = new Set(got.map((one) => one.id));
          return ids.filter((one) => ours.has(one));
        }),
      ),

    setStatus(ids, status, act) {
      const change = sql`update ${letters} set status = ${status}, owner = case when ${status} = 'retrying' then owner end
        where ${host.among(id, ids)}`;
      const changed = act
        ? host.transaction(function* () {
            yield* keepAct(ids, act);
            return yield* run(change);
          })
        : writeCounted(host, change);
      return mapMaybe(changed, () =>
        mapMaybe(
          select(() => host.among(id, ids)),
          (found) => ids.flatMap((wanted) => found.find((letter) => letter.id === wanted) ?? []),
        ),
      );
    },

    expire: (olderThan) =>
      writeCounted(host, sql`delete from ${letters} where last_seen < ${olderThan} and status <> 'retrying'`),
  };
}

/** Only what is asked for stands in the statement: a condition that may be left out keeps Postgres from using an index. */
function conditions(
  host: StateHost,
  { kind, workflow, runId, since, status: statuses }: LetterFilter,
  status: Sql,
): readonly Sql[] {
  const prefix = kind?.endsWith(".*") ? kind.slice(0, -1) : undefined;
  return [
    ...(prefix === undefined ? [] : [sql`substr(kind, 1, length(${prefix})) = ${prefix}`]),
    ...(prefix !== undefined || kind === undefined || kind === "*" ? [] : [sql`kind = ${keptText(kind)}`]),
    ...(workflow === undefined ? [] : [sql`workflow = ${keptText(workflow)}`]),
    ...(runId === undefined ? [] : [sql`run_id = ${runId}`]),
    ...(since === undefined ? [] : [sql`last_seen >= ${since}`]),
    ...(statuses === undefined ? [] : [host.among(status, [statuses].flat())]),
  ];
}
