// Workers hear of what there is to do, and look by themselves where they hear nothing.
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { hearNotices, Teller } from "../postgres/queue/notices.ts";
import { openPostgresStore } from "../postgres/store.ts";
import { freshDatabase, hasPostgres } from "./cluster.ts";
import { TestFleet } from "./fleet.ts";

const ONE_STEP = `
workflow: { name: one, entry_point: greet }
agents:
  - { name: greet, type: set, values: { hello: world } }
`;

/** So seldom that nothing in a test is found by looking. */
const SELDOM = { SEGNO_POLL_SECONDS: "3600", SEGNO_DEAD_SECONDS: "18000", SEGNO_BEAT_SECONDS: "3600" };
const LISTENERS = "from pg_stat_activity where query = 'listen segno' and datname = current_database()";

describe.skipIf(!hasPostgres)("a worker that looks seldom", () => {
  it("takes a run as soon as it is placed, and more of them than it has places", async () => {
    const fleet = await TestFleet.start();
    const file = fleet.write("one.yaml", ONE_STEP);
    const before = await fleet.place(file);
    await fleet.worker(SELDOM, { concurrency: 1 });
    expect(await fleet.allEnded([before])).toEqual(["completed"]);
    await until(async () => (await fleet.sql(`select 1 ${LISTENERS}`)).length === 1);
    const ids = [await fleet.place(file), await fleet.place(file), await fleet.place(file)];
    expect(await fleet.allEnded(ids)).toEqual(["completed", "completed", "completed"]);
  });

  it("looks again when it could not listen for a while", async () => {
    const fleet = await TestFleet.start();
    const file = fleet.write("one.yaml", ONE_STEP);
    await fleet.worker(SELDOM);
    await until(async () => (await fleet.sql(`select 1 ${LISTENERS}`)).length === 1);
    await fleet.sql(`select pg_terminate_backend(pid) ${LISTENERS}`);
    const runId = await fleet.place(file);
    expect(await fleet.allEnded([runId])).toEqual(["completed"]);
  });
});

describe.skipIf(!hasPostgres)("who listens", () => {
  it("hears what is told while another notice is on its way, and knows that it hears", async () => {
    const store = await openPostgresStore(await freshDatabase(), { home: "/nonexistent" });
    onTestFinished(() => store.close());
    const { database } = store.access;
    const heard: (string | undefined)[] = [];
    const listening = hearNotices(database, "one", (notice) => heard.push(notice));
    onTestFinished(() => listening.stop());
    await until(() => listening.isHearing);
    const teller = new Teller(database);
    await Promise.all([teller.tell("drive"), teller.tell("branch"), teller.tell("branch"), teller.tell("wish")]);
    await until(() => heard.length >= 4);
    expect(heard).toEqual([undefined, "drive", "branch", "wish"]);
  });
});
