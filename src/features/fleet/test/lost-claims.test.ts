// Claims of which the worker does not know: the database took its claim, or its lease, and the answer was lost on the way. The
// worker lives, so nobody gives it up; its runs are dispatched again all the same.
import { describe, expect, it, onTestFinished } from "vitest";
import { output } from "../../../../test/support/stores/store-maker.ts";
import { newRunId } from "../../../storage/run-index.ts";
import { takeLease } from "../postgres/lease.ts";
import { PROTOCOL } from "../postgres/queue/queue.ts";
import { releaseUnknownLeases, StrandedRuns, unbegunClaims } from "../postgres/queue/stranded.ts";
import { openPostgresStore, type PostgresStore } from "../postgres/store.ts";
import { freshDatabase, hasPostgres } from "./cluster.ts";
import { SEAL_KEY, TestFleet } from "./fleet.ts";

const ONE_STEP = `
workflow: { name: one, entry_point: greet }
agents:
  - { name: greet, type: set, values: { hello: world } }
`;

/** A worker that lives for as long as the test, and takes nothing. */
async function idleWorker(url: string): Promise<PostgresStore> {
  const store = await openPostgresStore(url, {
    home: "/nonexistent",
    silenceMs: 600_000,
    sealKey: SEAL_KEY,
    worker: { name: "idle", concurrency: 1, protocol: PROTOCOL },
  });
  onTestFinished(() => store.close());
  await store.access.members.self();
  return store;
}

async function begun(store: PostgresStore): Promise<string> {
  const runId = newRunId();
  await store.fleet.begin({ runId, workflow: "w", file: "/w.yaml", durability: "process" }, { request: {} });
  return runId;
}

const claimedBy = (executor: string, secondsAgo: number): string =>
  `update dbos.workflow_status set status = 'PENDING', executor_id = '${executor}',
     started_at_epoch_ms = (extract(epoch from clock_timestamp()) * 1000)::bigint - ${secondsAgo * 1000}`;

describe.skipIf(!hasPostgres)("a claim whose answer was lost", () => {
  it("is dispatched again while the worker that has it lives", async () => {
    const fleet = await TestFleet.start();
    const runId = await fleet.place(fleet.write("one.yaml", ONE_STEP));
    const { name } = (await idleWorker(fleet.url)).access.members;
    await fleet.sql(claimedBy(name, 60));
    await fleet.worker({ SEGNO_BEAT_SECONDS: "0.5", SEGNO_DEAD_SECONDS: "4" });
    expect(await fleet.allEnded([runId])).toEqual(["completed"]);
    const rows = await fleet.sql(`select status from dbos.workflow_status where workflow_uuid = '${runId}:1'`);
    expect(rows).toEqual([{ status: "CANCELLED" }]);
  });

  it("is left alone when it was made a moment ago, and when its worker has the lease", async () => {
    const store = await idleWorker(await freshDatabase());
    const { database, members } = store.access;
    const look = async () => (await unbegunClaims(database, members)).map(({ runId }) => runId);
    const runId = await begun(store);
    await database.run(claimedBy(members.name, 1));
    expect(await look()).toEqual([]);
    await database.run(claimedBy(members.name, 3600));
    expect(await look()).toEqual([runId]);
    const drive = await store.openDrive(runId, 1);
    await drive?.log.append([output(1, "begun")]);
    expect(await look()).toEqual([]);
    // Found before it was taken: it is not taken away.
    expect(await store.fleet.next(runId, 1, { isStranded: true })).toBe(false);
    await drive?.log.append([output(2, "still ours")]);
  });

  it("of a lease is given back by the worker that does not know of it, and only that", async () => {
    const store = await idleWorker(await freshDatabase());
    const { database, members } = store.access;
    const [known, unknown] = [await begun(store), await begun(store)];
    const drive = await store.openDrive(known, 1);
    await takeLease(database, members, { runId: unknown, takeOver: true });
    const release = () => releaseUnknownLeases(database, members, (runId, stream) => store.holds(runId, stream));
    const holders = async () =>
      (await database.rows<{ holder: string | null }>("select holder from segno.leases order by run_id")).map(
        ({ holder }) => holder,
      );
    await release();
    expect(await holders()).toEqual([members.name, members.name]);
    await database.run("update segno.leases set since = 0");
    await release();
    expect(await holders()).toEqual([members.name, null]);
    await drive?.log.append([output(1, "still ours")]);
  });

  it("is looked for in a long queue a part at a time, and every run comes to its turn", async () => {
    const store = await idleWorker(await freshDatabase());
    const { database, members } = store.access;
    await database.run(
      `insert into segno.runs (run_id, workflow, file, durability, version, status, started, resumable, drive, drive_ended, placed_at)
       select 'R' || lpad(n::text, 6, '0'), 'w', '/w', 'process', '', 'queued', 0, true, 1, false, now() - interval '1 hour'
       from generate_series(1, 2500) n`,
    );
    const looking = new StrandedRuns(database, members);
    const looks = [await looking.look(), await looking.look(), await looking.look(), await looking.look()];
    expect(looks.map((found) => found.length)).toEqual([1000, 1000, 500, 1000]);
    expect(new Set(looks.slice(0, 3).flatMap((found) => found.map(({ runId }) => runId))).size).toBe(2500);
  });
});
