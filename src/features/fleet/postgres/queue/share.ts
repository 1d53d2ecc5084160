// A share of a spread group, as the worker sees it that took it. Every change checks the epoch of the share's lease: a
// worker that lost the lease changes nothing.
import type { TakenShare } from "../../spread/spreading.ts";
import type { Database } from "../database.ts";
import type { StoreAccess } from "../reader.ts";
import type { ShareProblem } from "../worker-host.ts";
import type { Teller } from "./notices.ts";
import { type EnqueuingBranch, enqueueBranch } from "./queue.ts";

interface BranchShareOptions {
  readonly access: StoreAccess;
  readonly runId: string;
  readonly name: string;
  readonly stream: string;
  readonly key: string;
  readonly items: readonly string[];
  readonly concurrency: number;
  readonly epoch: number;
}

const OURS = "select 1 from segno.leases where run_id = $1 and stream = $3 and epoch = $4 for share";

/** One row says which item is next: two workers never get the same, and none is left out. */
const CLAIM = `with ours as (${OURS}), next as (
    update segno.spreads set next = next + 1 from ours where run_id = $1 and name = $2 and not stopped and next < count
    returning next - 1 as item
  )
  insert into segno.claims (run_id, name, item, stream) select $1, $2, item, $3 from next returning item`;

export function branchShare(options: BranchShareOptions): TakenShare {
  const { access, runId, name, stream, key, items, concurrency, epoch } = options;
  const { database, seal } = access;
  const place = [runId, name, stream, epoch];
  return {
    key,
    concurrency,

    async claimed() {
      const rows = await database.rows<{ item: number }>(
        "select item from segno.claims where run_id = $1 and name = $2 and stream = $3 order by item",
        [runId, name, stream],
      );
      return rows.flatMap(({ item }) => items[item] ?? []);
    },

    async claim() {
      const [row] = await database.rows<{ item: number }>(CLAIM, place);
      return row && items[row.item];
    },

    /** Also when the run has ended, or goes on for another request. */
    isStopped: async () => (await database.rows(GOES_ON, [runId, name])).length === 0,

    async stopAll() {
      await database.run(
        `with ours as (${OURS}) update segno.spreads set stopped = true from ours where run_id = $1 and name = $2`,
        place,
      );
    },

    async end(handedBack) {
      const given =
        handedBack.length === 0 ? null : seal.close(JSON.stringify(handedBack), [runId, name, "handed back"]);
      await database.run(
        `update segno.branches set handed_back = $3, ended = true where run_id = $1 and stream = $2 and exists (
           select 1 from segno.leases where run_id = $1 and stream = $2 and epoch = $4 for share)`,
        [runId, stream, given, epoch],
      );
    },
  };
}

/** Of a share that a worker could not even take as well, so by the queue's attempt; who was given up fails nothing. */
export async function failShare(
  { database, members, seal }: StoreAccess,
  { runId, name, stream, attempt }: EnqueuingBranch,
  problem: ShareProblem,
): Promise<void> {
  await database.run(
    `update segno.branches set failed = $4, ended = true where run_id = $1 and stream = $2 and attempt = $3 and not ended
       and exists (select 1 from segno.workers where worker = $5 and not dead for share)`,
    [runId, stream, attempt, seal.close(JSON.stringify(problem), [runId, name, "failed"]), await members.self()],
  );
}

/** A spread belongs to the request whose number its name ends with. */
const GOES_ON = `select 1 from segno.spreads s join segno.runs r on r.run_id = s.run_id
  where s.run_id = $1 and s.name = $2 and not s.stopped and not r.drive_ended and s.name = s.key || '@' || r.request_seq`;

/** The share goes on in another drive, unless that was seen to already. */
export async function placeBranchAgain(
  database: Database,
  teller: Teller,
  { runId, name, stream, attempt, delaySeconds = 0, version }: EnqueuingBranch,
): Promise<void> {
  await database.transaction(async (sql) => {
    const changed = await sql.run(
      `update segno.branches set attempt = attempt + 1, placed_at = clock_timestamp()
       where run_id = $1 and stream = $2 and attempt = $3 and not ended`,
      [runId, stream, attempt],
    );
    if (changed === 1) await enqueueBranch(sql, { runId, name, stream, attempt: attempt + 1, delaySeconds, version });
  });
  await teller.tell("branch");
}
