// Firings of triggers, shared by all workers and servers of a fleet. A firing and its run's place in the queue are written
// in one transaction (`begin` of placing.ts), so what counts against a group is what stands here.
import { createHmac } from "node:crypto";
import type { Firing, FiringEnd, FiringFilter, FiringStatus, Firings, NewFiring, TriggerState } from "../../firings.ts";
import type { ProcessName } from "../../liveness.ts";
import { keptText, textKept } from "../../rows/kept-text.ts";
import type { Database, Queries } from "../database.ts";
import { type FleetMembers, nowAt } from "../members.ts";
import { isOpenTo, openValue, type Seal } from "../seal.ts";
import { requireFleetsSeal } from "../sealed-fleet.ts";

interface Row {
  readonly run_id: string;
  readonly trigger_name: string;
  readonly status: FiringStatus;
  readonly fired: string;
  readonly ended: string | null;
  readonly begun: boolean;
  readonly group_key: string | null;
  readonly group_limit: number | null;
  readonly depth: number;
  readonly reason: string | null;
  readonly data: string;
}

interface StateRow {
  readonly trigger_name: string;
  readonly paused: boolean;
  readonly seen: string | null;
  readonly by: string | null;
  readonly at: string | null;
  readonly hindered: string | null;
}

const stateOf = ({ paused, seen, by, at, hindered }: StateRow): TriggerState => ({
  paused,
  seenUntil: seen === null ? null : Number(seen),
  ...(paused && by !== null && at !== null ? { pausing: { by, at: Number(at) } } : {}),
  ...(hindered ? { hindered } : {}),
});

/** With whose it is: the columns can be written by who has no key. Left out by an older Segno. */
type Sealed = Pick<Firing, "body" | "group"> & { readonly trigger?: string };

export interface FiringTableOptions {
  readonly members: FleetMembers;
  readonly seal: Seal;
  readonly now: () => number;
  /** Marks and groups hold what senders sent: they are compared, and never read. */
  readonly hashKey: string;
}

/** A live process has it, or its run is placed: `$1` and `$2` are the time and the silence. */
const GOES_ON = `(begun or segno.lives(owner, ${nowAt(1)}, $2))`;

export class FiringTable implements Firings {
  readonly #database: Database;
  readonly #options: FiringTableOptions;

  constructor(database: Database, options: FiringTableOptions) {
    this.#database = database;
    this.#options = options;
  }

  #digest(text: string): string {
    return createHmac("sha256", this.#options.hashKey).update(keptText(text)).digest("hex");
  }

  record(firing: NewFiring): Promise<{ readonly firing: Firing; readonly isNew: boolean }> {
    return this.#database.transaction(async (sql) => {
      const { runId, trigger, group, depth, at: now } = firing;
      // A process that drives triggers with another key would record firings that no worker can start.
      await requireFleetsSeal(sql, this.#options.members, this.#options.seal);
      await locked(sql, `trigger ${trigger}`);
      const marks = firing.marks.map(({ name, until }) => ({ mark: this.#digest(name), until }));
      const before = await this.#marked(
        sql,
        trigger,
        marks.map(({ mark }) => mark),
        now,
      );
      // Its own, when the connection was lost after the commit.
      if (before) return { firing: before, isNew: before.runId === runId };
      const skipped =
        firing.skipped ?? (firing.skipIfBusy && (await isBusy(sql, trigger)) ? firing.skipIfBusy : undefined);
      const reason = firing.refused ?? skipped;
      const status: FiringStatus =
        firing.refused !== undefined ? "failed" : skipped === undefined ? "fired" : "skipped";
      const { seal } = this.#options;
      const data: Sealed = { trigger, body: firing.body, ...(group ? { group } : {}) };
      await sql.run(
        `insert into segno.firings (run_id, trigger_name, status, fired, ended, group_key, group_limit, depth, reason, data)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (run_id) do nothing`,
        [
          ...[runId, trigger, status, now, status === "fired" ? null : now],
          ...[group ? this.#digest(group.key) : null, group?.limit ?? null, depth],
          reason === undefined ? null : seal.close(keptText(reason), [runId, "firing", "reason"]),
          seal.close(JSON.stringify(data), [runId, "firing"]),
        ],
      );
      for (const { mark, until } of marks)
        await sql.run(
          `insert into segno.firing_marks (trigger_name, mark, run_id, until) values ($1, $2, $3, $4)
           on conflict (trigger_name, mark) do update set run_id = excluded.run_id, until = excluded.until`,
          [trigger, mark, runId, until ?? null],
        );
      return { firing: (await this.#get(sql, runId)) as Firing, isNew: true };
    });
  }

  async #marked(sql: Queries, trigger: string, marks: readonly string[], now: number): Promise<Firing | undefined> {
    if (marks.length === 0) return undefined;
    const [row] = await sql.rows<Row>(
      `select f.* from segno.firing_marks m join segno.firings f on f.run_id = m.run_id
       where m.trigger_name = $1 and m.mark = any($2::text[]) and (m.until is null or m.until > $3::bigint)
       order by array_position($2::text[], m.mark) limit 1`,
      [trigger, marks, now],
    );
    // Else a process with another key, or with none, has fired for the same cause: that is enough to know.
    return row && (isOpenTo(this.#options.seal, row.data) ? this.#firing(row) : columnsOf(row));
  }

  get(runId: string): Promise<Firing | undefined> {
    return this.#get(this.#database, runId);
  }

  async #get(sql: Queries, runId: string): Promise<Firing | undefined> {
    const [row] = await sql.rows<Row>("select * from segno.firings where run_id = $1", [runId]);
    return row && this.#firing(row);
  }

  async list({ trigger, status, limit = 1000, order = "newest" }: FiringFilter = {}): Promise<readonly Firing[]> {
    const way = order === "oldest" ? "asc" : "desc";
    const rows = await this.#database.rows<Row>(
      `select * from segno.firings where ($1::text is null or trigger_name = $1) and ($2::text is null or status = $2)
       order by fired ${way}, made ${way} limit $3`,
      [trigger ?? null, status ?? null, limit],
    );
    const what = (row: Row): string => `a firing of the trigger ${row.trigger_name} (run ${row.run_id})`;
    // A firing sealed with another key, even the only one, must not keep triggers from being driven. The process that
    // drives them asks for those of one status.
    const ifSealed = this.#options.seal.isSealed || status !== undefined ? "leave out" : "throw";
    return this.#database.leftOut.readable(rows, what, (row) => this.#firing(row), {
      ifSealed,
      todo: "It starts no run: fire the trigger by hand if one is missing (`segno triggers fire`), and remove the row from segno.firings.",
    });
  }

  async claim(runId: string, owner?: ProcessName): Promise<boolean> {
    const { members } = this.#options;
    const name = owner ?? (await members.self());
    const when = [members.clock, members.silenceMs] as const;
    return this.#database.transaction(async (sql) => {
      const [row] = await sql.rows<Pick<Row, "group_key" | "group_limit">>(
        "select group_key, group_limit from segno.firings where run_id = $1 and status = 'fired' and not begun",
        [runId],
      );
      if (!row) return false;
      const { group_key: group, group_limit: limit } = row;
      if (group !== null) {
        await locked(sql, `firings of ${group}`);
        // Taken from those who are gone, so that one who only stood still cannot begin it any more.
        await sql.run(
          `update segno.firings set owner = null
           where group_key = $3 and status = 'fired' and owner is not null and not ${GOES_ON}`,
          [...when, group],
        );
        const [others] = await sql.rows<{ n: string }>(
          `select count(*) as n from segno.firings
           where group_key = $1 and run_id <> $2
             and (status = 'waits' or status = 'fired' and (begun or owner is not null))`,
          [group, runId],
        );
        if (Number(others?.n ?? 0) >= (limit ?? 1)) return false;
      }
      const taken = await sql.run(
        `update segno.firings set owner = $3
         where run_id = $4 and status = 'fired' and not begun and (owner is null or owner = $3 or not ${GOES_ON})`,
        [...when, name, runId],
      );
      return taken === 1;
    });
  }

  async release(runId: string): Promise<void> {
    await this.#database.run("update segno.firings set owner = null where run_id = $1", [runId]);
  }

  async wait(runId: string): Promise<void> {
    await this.#database.run(
      "update segno.firings set status = 'waits', owner = null where run_id = $1 and status = 'fired'",
      [runId],
    );
  }

  async goOn(runId: string): Promise<void> {
    await this.#database.run("update segno.firings set status = 'fired' where run_id = $1 and status = 'waits'", [
      runId,
    ]);
  }

  async settle(runId: string, status: FiringEnd, reason?: string): Promise<void> {
    const { seal, now } = this.#options;
    await this.#database.run(
      "update segno.firings set status = $2, reason = $3, ended = $4, owner = null where run_id = $1 and status in ('fired', 'waits')",
      [runId, status, reason === undefined ? null : seal.close(keptText(reason), [runId, "firing", "reason"]), now()],
    );
  }

  async state(trigger: string): Promise<TriggerState> {
    return (await this.together.states([trigger])).get(trigger) ?? { paused: false, seenUntil: null };
  }

  readonly together = {
    states: async (triggers: readonly string[]): Promise<ReadonlyMap<string, TriggerState>> => {
      const rows = await this.#database.rows<StateRow>(
        `select trigger_name, paused, seen, paused_by as by, paused_at as at, hindered
         from segno.triggers where trigger_name = any($1::text[])`,
        [triggers],
      );
      return new Map(rows.map((row) => [row.trigger_name, stateOf(row)]));
    },

    see: async (triggers: readonly string[], until: number): Promise<void> => {
      // In one order: two who do this at once do not wait for each other.
      await this.#database.run(
        `insert into segno.triggers as t (trigger_name, paused, seen) select name, false, $2 from unnest($1::text[]) name order by name
         on conflict (trigger_name) do update set seen = greatest(t.seen, excluded.seen), hindered = null`,
        [triggers, until],
      );
    },
  };

  async setPaused(trigger: string, paused: boolean, now: number, by?: string): Promise<void> {
    await this.#database.run(
      `insert into segno.triggers as t (trigger_name, paused, seen, paused_by, paused_at) values ($1, $2, $3, $4, $3)
       on conflict (trigger_name) do update set paused = excluded.paused, seen = greatest(t.seen, excluded.seen),
         paused_by = excluded.paused_by, paused_at = excluded.paused_at`,
      [trigger, paused, now, by ?? null],
    );
  }

  see(trigger: string, until: number): Promise<void> {
    return this.together.see([trigger], until);
  }

  /** Not sealed, unlike a firing: its readers have other keys. */
  async hinder(trigger: string, why: string): Promise<void> {
    await this.#database.run(
      "update segno.triggers set hindered = $2 where trigger_name = $1 and hindered is distinct from $2",
      [trigger, keptText(why)],
    );
  }

  takeBack(trigger: string, until: number, now: number): Promise<void> {
    return this.#database.transaction(async (sql) => {
      await sql.run("update segno.triggers set seen = $2 where trigger_name = $1 and seen > $2", [trigger, until]);
      // Its marks count no more without it.
      await sql.run(
        `delete from segno.firings f where trigger_name = $1 and fired > $2 and (status = 'skipped' or
           status = 'failed' and not exists (select 1 from segno.runs r where r.run_id = f.run_id))`,
        [trigger, now],
      );
    });
  }

  expire(before: number, now: number): Promise<number> {
    return this.#database.transaction(async (sql) => {
      const gone = await sql.run("delete from segno.firings where status not in ('fired', 'waits') and fired < $1", [
        before,
      ]);
      await sql.run(
        `delete from segno.firing_marks m
         where m.until < $1 or not exists (select 1 from segno.firings f where f.run_id = m.run_id)`,
        [now],
      );
      return gone;
    });
  }

  #firing(row: Row): Firing {
    const { seal } = this.#options;
    const { trigger = row.trigger_name, body, group } = openValue<Sealed>(seal, row.data, [row.run_id, "firing"]);
    return {
      ...columnsOf(row),
      trigger,
      reason: row.reason === null ? null : textKept(seal.open(row.reason, [row.run_id, "firing", "reason"])),
      body,
      ...(group ? { group } : {}),
    };
  }
}

/** What can be read without a key. */
const columnsOf = (row: Row): Firing => ({
  runId: row.run_id,
  trigger: row.trigger_name,
  status: row.status,
  isPlaced: row.begun,
  firedAt: new Date(Number(row.fired)).toISOString(),
  endedAt: row.ended === null ? null : new Date(Number(row.ended)).toISOString(),
  reason: null,
  depth: row.depth,
  body: {},
});

/**
 * That the run of a firing is placed by who has claimed it, and once: of one that was taken from it, or that has ended,
 * nothing may begin. Within the transaction that places the run.
 */
export async function begins(sql: Queries, runId: string, owner: ProcessName): Promise<boolean> {
  const ours = await sql.run(
    "update segno.firings set begun = true where run_id = $1 and status = 'fired' and not begun and owner = $2",
    [runId, owner],
  );
  return ours === 1;
}

const locked = (sql: Queries, what: string): Promise<unknown> =>
  sql.rows("select pg_advisory_xact_lock(hashtextextended('segno ' || $1, 0))", [what]);

async function isBusy(sql: Queries, trigger: string): Promise<boolean> {
  const rows = await sql.rows(
    "select 1 from segno.firings where trigger_name = $1 and status in ('fired', 'waits') limit 1",
    [trigger],
  );
  return rows.length > 0;
}
