// Groups that a run spreads: one share for each live worker, each with its own stream, lease and workflow, written
// together by the drive that holds the run; and how that drive watches them.
import type { RunMeta } from "../../../../storage/run-reader.ts";
import { openValue } from "../../../../storage/state/seal.ts";
import { LeaseLost, StoreError } from "../../../../storage/store-error.ts";
import type { HandedBack, HandedOut, SpreadGround, StreamNews } from "../../spread/spreading.ts";
import type { Transaction } from "../database.ts";
import { cancelWorkflow, NOT_TAKEN, WORKFLOWS } from "../dbos.ts";
import { isHeard, nowAt, understands } from "../members.ts";
import { PostgresReader, type StoreAccess } from "../reader.ts";
import { comparedKeys, keptKey } from "../state.ts";
import type { ShareProblem } from "../worker-host.ts";
import type { Teller } from "./notices.ts";
import { branchId, enqueueBranch } from "./queue.ts";
import { placeBranchAgain } from "./share.ts";
import { CLAIMED_LONG_AGO } from "./stranded.ts";

interface GroundOptions {
  readonly access: StoreAccess;
  readonly teller: Teller;
  readonly meta: RunMeta;
  /** Under which the run was taken. */
  readonly epoch: number;
  /** Which request the drive is for: a later one hands out anew. */
  readonly requestSeq: number;
  readonly protocol: string;
}

/** Of the run `$1` and the epoch of who changes it: no row where another process has the run. */
const OURS = (epoch: string): string =>
  `select 1 from segno.leases where run_id = $1 and stream = '' and epoch = ${epoch} for share`;

export function runSpreads(options: GroundOptions): SpreadGround {
  const { access, teller, meta, epoch, requestSeq, protocol } = options;
  const { database, members, seal } = access;
  const { runId } = meta;
  /** The newest first: one that is there may have been named under an earlier key. */
  const namesOf = (key: string): readonly string[] =>
    comparedKeys(key, seal).map((compared) => `${compared}@${requestSeq}`);

  /** Workers that would take a share. */
  async function workers(sql: Transaction): Promise<number> {
    const [row] = await sql.rows<{ n: string }>(
      `select count(*) as n from segno.workers w where not dead and not draining and ${isHeard(1, 2)}
         and ${understands("$3")}`,
      [members.clock, members.silenceMs, protocol],
    );
    return Number(row?.n ?? 0);
  }

  async function place(sql: Transaction, name: string, number: number, concurrency: number): Promise<void> {
    const stream = `${name}/${number}`;
    await sql.run("insert into segno.branches (run_id, stream, name, concurrency) values ($1, $2, $3, $4)", [
      runId,
      stream,
      name,
      concurrency,
    ]);
    await enqueueBranch(sql, { runId, name, stream, attempt: 1, version: protocol });
  }

  return {
    async find(key) {
      const [row] = await database.rows<{ name: string; items: string }>(
        "select name, items from segno.spreads where run_id = $1 and name = any($2::text[])",
        [runId, namesOf(key)],
      );
      return row && handedOut(options, row.name, openValue(seal, row.items, [runId, row.name]));
    },

    /** Only what was recorded of them counts, so their items are not read: they may have been changed in the database. */
    async leftovers(key) {
      const rows = await database.rows<{ name: string }>(
        "select name from segno.spreads where run_id = $1 and name <> all($2::text[])",
        [runId, namesOf(key)],
      );
      return rows.map(({ name }) => handedOut(options, name, []));
    },

    async handOut(key, items, concurrency) {
      const [name = ""] = namesOf(key);
      const kept = keptKey(key, seal);
      const isHandedOut = await database.transaction(async (sql) => {
        const ours = await sql.rows(OURS("$2"), [runId, epoch]);
        if (ours.length === 0) throw new LeaseLost(runId);
        const shares = Math.min(concurrency, items.length, await workers(sql));
        if (shares < 2) return false;
        // Once: a connection that was lost after the commit makes this be done again.
        const made = await sql.run(
          `insert into segno.spreads (run_id, name, key, whole, after_seq, items, count)
           select $1, $2, $3, $6, coalesce((select last_seq from segno.events where run_id = $1 and stream = ''
             order by first_seq desc limit 1), 0), $4, $5 on conflict do nothing`,
          [runId, name, kept.key, seal.close(JSON.stringify(items), [runId, name]), items.length, kept.whole],
        );
        if (made === 1)
          for (const [at, share] of sharesOf(concurrency, shares).entries()) await place(sql, name, at + 1, share);
        return true;
      });
      if (isHandedOut) await teller.tell("branch");
      return isHandedOut ? handedOut(options, name, items) : undefined;
    },
  };
}

/** `max_concurrent` in as many parts as there are shares: together they are never more. */
export const sharesOf = (concurrency: number, shares: number): readonly number[] =>
  Array.from({ length: shares }, (_, at) => Math.floor(concurrency / shares) + (at < concurrency % shares ? 1 : 0));

interface BranchRow {
  readonly stream: string;
  readonly heard: string;
  readonly ended: boolean;
  readonly handed_back: string | null;
  readonly failed: string | null;
  readonly last: string | null;
}

/** The worker that took a share could not drive it, and no other worker could. */
class ShareFailed extends Error {
  override readonly name = "ShareFailed";
}

/** The shares of one group, as the drive sees them that looks after them. */
function handedOut(
  { access, teller, meta, epoch, protocol }: GroundOptions,
  name: string,
  items: readonly string[],
): HandedOut {
  const { database, members, seal } = access;
  const { runId } = meta;
  /** How far each stream was read here. */
  const read = new Map<string, number>();
  /** Of each stream: what the run's journal had of it at the first look. */
  const taken = new Map<string, number>();
  let lookedForStranded = performance.now();

  const handedBackIn = ({ handed_back }: BranchRow): readonly HandedBack[] =>
    handed_back === null
      ? []
      : (JSON.parse(seal.open(handed_back, [runId, name, "handed back"])) as readonly HandedBack[]);

  function failure(failed: string): Error {
    const { message, code } = openValue<ShareProblem>(seal, failed, [runId, name, "failed"]);
    return code ? new StoreError(code, message, runId) : new ShareFailed(message);
  }

  async function newsOf(stream: string): Promise<StreamNews> {
    const events = [];
    for await (const event of new PostgresReader(access, meta, stream).events(read.get(stream))) events.push(event);
    const last = events.at(-1);
    if (last) read.set(stream, last.seq);
    return { stream, events, taken: taken.get(stream) ?? 0 };
  }

  /** Shares that no worker has or will take: as for runs, see `stranded.ts`. */
  async function wakeStranded(): Promise<void> {
    if (performance.now() - lookedForStranded < members.silenceMs / 4) return;
    lookedForStranded = performance.now();
    const rows = await database.rows<{ stream: string; attempt: number }>(
      `select stream, attempt from segno.branches b where run_id = $3 and name = $4 and not ended
         and abs(extract(epoch from clock_timestamp() - placed_at)) > $2::bigint / 4000.0
         and not exists (select 1 from segno.leases l
           where l.run_id = b.run_id and l.stream = b.stream and segno.lives(l.holder, ${nowAt(1)}, $2::bigint))
         and not exists (select 1 from ${WORKFLOWS} s
           where s.workflow_uuid = b.run_id || ':' || b.stream || ':' || b.attempt
             and s.status in ('ENQUEUED', 'DELAYED', 'PENDING') and not (${CLAIMED_LONG_AGO})
             and exists (select 1 from segno.workers w where not w.dead and ${understands("s.application_version")}))`,
      [members.clock, members.silenceMs, runId, name],
    );
    for (const { stream, attempt } of rows)
      await placeBranchAgain(database, teller, { runId, name, stream, attempt, version: protocol });
  }

  return {
    items: new Set(items),

    async look() {
      await wakeStranded();
      // Asked before the events are read: what it says has ended is whole then.
      const rows = await database.rows<BranchRow>(
        `select stream, heard, ended, handed_back, failed, (select last_seq from segno.events e
           where e.run_id = b.run_id and e.stream = b.stream order by first_seq desc limit 1) as last
         from segno.branches b where run_id = $1 and name = $2 order by stream`,
        [runId, name],
      );
      const streams: StreamNews[] = [];
      for (const { stream, last, heard } of rows) {
        if (!taken.has(stream)) taken.set(stream, Number(heard));
        if (Number(last ?? 0) > (read.get(stream) ?? 0)) streams.push(await newsOf(stream));
      }
      const isOver = rows.every(({ ended }) => ended);
      const failed = rows.find((row) => row.failed !== null)?.failed;
      const handedBack = isOver ? rows.flatMap(handedBackIn) : [];
      return { streams, handedBack, isOver, failed: failed ? failure(failed) : undefined };
    },

    /** Shares that no worker has begun, or that wait for their time, are taken out of the queue. */
    async stop() {
      await database.transaction(async (sql) => {
        const ours = await sql.run(
          `update segno.spreads set stopped = true where run_id = $1 and name = $2 and exists (${OURS("$3")})`,
          [runId, name, epoch],
        );
        if (ours === 0) return;
        const rows = await sql.rows<{ stream: string; attempt: number }>(
          "select stream, attempt from segno.branches where run_id = $1 and name = $2 and not ended for update",
          [runId, name],
        );
        for (const { stream, attempt } of rows)
          if (await cancelWorkflow(sql, branchId(runId, stream, attempt), NOT_TAKEN))
            await sql.run("update segno.branches set ended = true where run_id = $1 and stream = $2", [runId, stream]);
      });
    },

    /** What they recorded is in the run's journal. A worker that lost its stream can write nothing more to it. */
    async close() {
      const streams = "run_id = $1 and stream in (select stream from segno.branches where run_id = $1 and name = $2)";
      await database.transaction(async (sql) => {
        for (const table of ["leases", "events"])
          await sql.run(`delete from segno.${table} where ${streams}`, [runId, name]);
        for (const table of ["claims", "branches", "spreads"])
          await sql.run(`delete from segno.${table} where run_id = $1 and name = $2`, [runId, name]);
      });
    },
  };
}
