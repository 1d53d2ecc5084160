// No statement reads a whole table of runs: each is explained as it was asked, over 100 000 made runs.
import { Client } from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { output } from "../../../../test/support/stores/store-maker.ts";
import { newRunId } from "../../../storage/run-index.ts";
import { afterId } from "../postgres/prune.ts";
import { claimBranches, claimDrives, recoverAbandoned } from "../postgres/queue/claims.ts";
import { BRANCH_QUEUE, PROTOCOL, QUEUE } from "../postgres/queue/queue.ts";
import {
  oddities,
  releaseUnknownLeases,
  StrandedRuns,
  unbegunClaims,
  unheardRuns,
} from "../postgres/queue/stranded.ts";
import { glance } from "../postgres/queue/worker.ts";
import { requireReadable } from "../postgres/sealed-fleet.ts";
import { openPostgresStore, type PostgresStore } from "../postgres/store.ts";
import { cluster, freshDatabase, hasPostgres } from "./cluster.ts";

const COUNT = 100_000;

/** One of ten failed, and one of a hundred waits in the queue. */
const MADE = `
  insert into segno.runs (run_id, workflow, file, durability, version, status, started, ended, resumable, drive, drive_ended,
      request, placed_at, failing_kind)
    select '01MADE' || lpad(n::text, 20, '0'), 'w' || n % 50, '/f' || n % 50, 'process', '',
      case when n % 100 = 0 then 'queued' when n % 10 = 1 then 'failed' else 'completed' end, n, n, true, 1, n % 100 <> 0,
      '{"kind":"first"}', now() - interval '1 hour', case when n % 10 = 1 then 'a.b' end
    from generate_series(1, ${COUNT}) n;
  insert into segno.leases select run_id, '', 1, null, 0 from segno.runs;
  insert into segno.events (run_id, stream, first_seq, last_seq, epoch, data) select run_id, '', 1, 1, 1, 'x' from segno.runs;
  insert into segno.pins (run_id, drive, path, hash) select run_id, 1, '/f', 'h' || right(run_id, 2) from segno.runs;
  insert into segno.answers (run_id, key, presented, closed, question, digest, answer)
    select run_id, 'k', 0, true, 'q', 'd', 'a' from segno.runs where drive_ended;
  insert into segno.letters (id, run_id, place, workflow, node, kind, status, first_seen, last_seen, count, body)
    select 'L' || run_id, run_id, 'p', workflow, 'n', 'a.b', 'dropped', 0, started, 1, '{}' from segno.runs;
  insert into dbos.workflow_status (workflow_uuid, status, name, queue_name, application_version, executor_id, created_at, updated_at)
    select run_id || ':1', case when drive_ended then 'SUCCESS' else 'ENQUEUED' end, 'drive', 'segno-drives', '${PROTOCOL}', 'x', 0, 0
    from segno.runs;
`;

interface Asked {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** What is asked of the database while `work` is done, each text once. */
async function asked(work: () => Promise<void>): Promise<readonly Asked[]> {
  const found = new Map<string, Asked>();
  const query = vi.spyOn(Client.prototype, "query");
  await work();
  for (const [what, more] of query.mock.calls as unknown as [unknown, unknown][]) {
    const { text, values } = (typeof what === "string" ? { text: what, values: more } : what) as Partial<Asked>;
    if (text && /^\s*(select|with|insert|update|delete)/i.test(text))
      found.set(text, { text, values: Array.isArray(values) ? values : [] });
  }
  query.mockRestore();
  return [...found.values()];
}

/** Tables that grow with the runs, and were filled here. */
const GROWS = /^(runs|leases|events|pins|answers|letters|run_changes|workflow_status)$/;

interface Plan {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly Plans?: readonly Plan[];
}

const scansIn = (plan: Plan): readonly string[] => [
  ...(plan["Node Type"] === "Seq Scan" && GROWS.test(plan["Relation Name"] ?? "") ? [plan["Relation Name"] ?? ""] : []),
  ...(plan.Plans ?? []).flatMap(scansIn),
];

/** What commands, workers, pages and prune ask for. */
async function everything(store: PostgresStore): Promise<void> {
  const { database, members } = store.access;
  const { state, fleet } = store;
  const runId = newRunId();
  const run = { runId, workflow: "w1", file: "/f1", durability: "process" } as const;
  await fleet.begin(run, { request: {}, pins: { drive: 1, sources: new Map([["/f1", "x"]]) } });
  const drive = await store.openDrive(runId, 1);
  await drive?.log.takeUp();
  await drive?.log.append([output(1, "x")]);
  await drive?.log.setStatus("failed", { failingKind: "a.b", resumable: true });
  await drive?.log.release();
  await fleet.place(runId, { request: {} });
  await fleet.next(runId, 2, { isStranded: true });
  await fleet.standing(runId);
  await fleet.stop(runId);
  await members.beat();
  await members.sweep();
  await recoverAbandoned(database, [QUEUE], PROTOCOL);
  await glance(database, members, PROTOCOL, [runId]);
  await oddities(database, members);
  const asking = { worker: members.name, clock: null, version: PROTOCOL, most: 2 };
  await claimDrives(database, { ...asking, queue: QUEUE });
  await claimBranches(database, { ...asking, queue: BRANCH_QUEUE }, []);
  await unbegunClaims(database, members);
  await new StrandedRuns(database, members).look();
  await unheardRuns(database, members);
  await releaseUnknownLeases(database, members, () => false);
  await requireReadable(database, store.access.seal);
  await fleet.workers();
  const { cursor } = await state.runs.changes();
  await state.runs.changes(cursor);
  for (const filter of [{}, { status: "paused" }, { workflow: "w7" }, { file: "/none" }, { before: runId }] as const)
    await store.runs({ ...filter, limit: 50 });
  for (const file of (await store.byFile.files()).slice(0, 2)) {
    await store.byFile.nthNewest(20, file);
    await store.byFile.nthNewest(20, file, "w7");
  }
  await store.runs({ file: "/f7", workflow: "w7", before: runId, limit: 50 });
  await store.summaries([runId]);
  await store.findRun(runId.slice(0, 12));
  await store.findRun(runId.slice(-8));
  await state.gates.asking();
  await state.gates.pending();
  await state.gates.pending(runId);
  await state.letters.unsettled();
  // As many as are removed at a time: of two, Postgres asks an index in any case.
  await store.removeRuns([runId, ...Array.from({ length: 199 }, (_, n) => `01MADE${String(n + 1).padStart(20, "0")}`)]);
}

describe.skipIf(!hasPostgres)("with 100 000 runs in the database", () => {
  it("no statement reads a whole table", async () => {
    const url = await freshDatabase();
    const { sql } = await cluster();
    for (const statement of MADE.split(";\n").filter((one) => one.trim() !== "")) await sql(statement, url);
    await sql("analyze", url);
    const store = await openPostgresStore(url, {
      home: "/nonexistent",
      worker: { name: "one", concurrency: 1, protocol: PROTOCOL },
    });
    onTestFinished(() => store.close());
    await store.access.members.self();
    const statements = await asked(() => everything(store));
    expect(statements.length).toBeGreaterThan(40);
    const client = new Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    const scanning: string[] = [];
    for (const { text, values } of statements) {
      const { rows } = await client.query(`explain (format json) ${text}`, [...values]);
      const scans = scansIn(rows[0]["QUERY PLAN"][0].Plan as Plan);
      if (scans.length > 0) scanning.push(`${scans.join(", ")}: ${text}`);
    }
    expect(scanning).toEqual([]);
  });
});

it("what begins with an id stands before the one after it", () => {
  expect(["01A", "01Y", "019", "01Z", "ZZZ", "a-_"].map(afterId)).toEqual(["01B", "01Z", "01A", "02", "zzzzzzzz", "b"]);
});
