// Machines whose clocks are set wrongly: waits and deadlines of a fleet go by the database's clock.
import { join } from "node:path";
import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../../../test/support/until.ts";
import type { LettersAnswer } from "../../../services/dead-letters/letters.ts";
import type { BreakersAnswer } from "../../../services/resilience/breakers.ts";
import type { RunsAnswer } from "../../../services/runs/runs.ts";
import { newRunId } from "../../../storage/run-index.ts";
import { DATABASE_NOW } from "../postgres/connection.ts";
import { FleetMembers } from "../postgres/members.ts";
import { MIGRATION_LOCK } from "../postgres/migrate.ts";
import { QUEUE, wakeInLanes } from "../postgres/queue/queue.ts";
import { StrandedRuns } from "../postgres/queue/stranded.ts";
import { openPostgresStore } from "../postgres/store.ts";
import { cluster, freshDatabase, hasPostgres } from "./cluster.ts";
import { SEAL_KEY, TestFleet } from "./fleet.ts";
import type { Env } from "./machine.ts";

const HOUR_MS = 3_600_000;

/** What makes every `new Date()` and `Date.now()` of a process be off by so much. */
const shift = (ms: number): string => `
const Real = Date;
globalThis.Date = class extends Real {
  constructor(...args) { args.length === 0 ? super(Real.now() + ${ms}) : super(...args); }
  static now() { return Real.now() + ${ms}; }
};`;

/** The same for this process, while it asks something. */
async function asIfOff<Answer>(ms: number, ask: () => Promise<Answer>): Promise<Answer> {
  const Real = Date;
  new Function(shift(ms))();
  try {
    return await ask();
  } finally {
    globalThis.Date = Real;
  }
}

const WAITS = `
workflow: { name: waits, entry_point: before, runtime: { affinity: any } }
agents:
  - { name: before, type: script, command: sh, args: [-c, "date +%s%3N >> log"], routes: [{ to: rest }] }
  - { name: rest, type: wait, duration: 8s, routes: [{ to: after }] }
  - { name: after, type: script, command: sh, args: [-c, "date +%s%3N >> log"] }
`;

const GATE = `
workflow: { name: gated, entry_point: ask }
agents:
  - name: ask
    type: human_gate
    prompt: "Ship?"
    timeout: 10m
    on_timeout: "no"
    options: [{ label: "Yes", value: "yes", route: $end }, { label: "No", value: "no", route: $end }]
output: { chosen: "{{ ask.output.selected }}" }
`;

const HELD = `
workflow: { name: held, entry_point: a }
agents:
  - { name: a, type: script, command: sh, args: [-c, 'echo begun >> log; until test -e go; do sleep 0.1; done'] }
`;

const QUICK = `
workflow: { name: quick, entry_point: note }
agents:
  - { name: note, type: script, command: sh, args: [-c, "echo quick >> log"] }
`;

const FRAGILE = `
workflow:
  name: fragile
  entry_point: a
  resilience:
    dead_letter: true
    circuit_breaker: { failure_threshold: 1, recovery_timeout: 10m, scope: step, counts: ["*"] }
agents:
  - { name: a, type: script, command: sh, args: [-c, "exit 9"] }
`;

/** The environments of processes whose clocks are fast, and slow. */
async function shifted(fleet: TestFleet): Promise<readonly [fast: Env, slow: Env]> {
  fleet.write("fast.cjs", shift(HOUR_MS));
  fleet.write("slow.cjs", shift(-HOUR_MS));
  const env = (name: string): Env => ({ NODE_OPTIONS: `--require=${join(fleet.folder, name)}` });
  return [env("fast.cjs"), env("slow.cjs")];
}

describe.skipIf(!hasPostgres)("on a fleet whose clocks are hours apart", () => {
  it("whoever looks at a run that goes on sees how long it has, and its step, by the database's clock", async () => {
    const fleet = await TestFleet.start();
    fleet.write("held.yaml", HELD);
    await fleet.worker();
    const run = await fleet.place("held.yaml");
    await until(() => fleet.lines("log").length === 1);
    const LONG_MS = 1500;
    // Twice as long: what a machine knows of the database's clock is not exact.
    const moment = Date.now() + 2 * LONG_MS;
    await until(() => Date.now() >= moment);
    for (const off of [HOUR_MS, -HOUR_MS]) {
      const { status, execution } = await asIfOff(off, () => fleet.json(["show", run]));
      expect(status).toBe("running");
      for (const took of [execution?.duration_ms, execution?.steps[0]?.duration_ms]) {
        expect(took).toBeGreaterThanOrEqual(LONG_MS);
        expect(took).toBeLessThan(HOUR_MS / 2);
      }
    }
    fleet.write("go", "");
    expect(await fleet.allEnded([run])).toEqual(["completed"]);
  });

  it("a wait lasts as long as it says, whoever drives the run afterwards", async () => {
    const fleet = await TestFleet.start();
    fleet.write("waits.yaml", WAITS);
    const [fast, slow] = await shifted(fleet);
    const short = { SEGNO_HELD_WAIT_SECONDS: "1" };
    const leaves = await fleet.workerProcess({ ...slow, ...short });
    const run = await fleet.place("waits.yaml");
    const delayed = "select 1 from dbos.workflow_status where status = 'DELAYED'";
    await until(async () => (await fleet.sql(delayed)).length > 0);
    await Promise.all([leaves.kill(), fleet.workerProcess(fast)]);
    expect(await fleet.allEnded([run])).toEqual(["completed"]);
    const [before, after] = fleet.lines("log").map(Number);
    expect(after! - before!).toBeGreaterThanOrEqual(8000);
    expect(after! - before!).toBeLessThan(HOUR_MS / 2);
    // And no worker's hour stands in what was recorded.
    for (const { ts } of await fleet.events(run))
      expect(Math.abs(Date.parse(ts) - Date.now())).toBeLessThan(HOUR_MS / 4);
  });

  it("a gate times out by the database's clock alone, for workers and for who answers", async () => {
    const fleet = await TestFleet.start();
    fleet.write("gate.yaml", GATE);
    const [fast, slow] = await shifted(fleet);
    const asks = await fleet.workerProcess(slow);
    const { run_id, status } = await fleet.json(["run", "gate.yaml"]);
    expect(status).toBe("paused");
    await Promise.all([asks.kill(), fleet.workerProcess(fast)]);
    expect(await asIfOff(HOUR_MS, () => fleet.json(["gate", "answer", run_id ?? "", "yes"]))).toMatchObject({
      status: "completed",
      output: { chosen: "yes" },
    });
  });

  it("runs are listed, and kept, in the order in which they were placed, whatever the clock says where that was", async () => {
    const fleet = await TestFleet.start();
    fleet.write("gate.yaml", GATE);
    const placed = (off: number): Promise<string> => asIfOff(off, () => fleet.place("gate.yaml"));
    const order = [await placed(HOUR_MS), await placed(0), await placed(-HOUR_MS)];
    const { runs } = await asIfOff(HOUR_MS, () => fleet.json<RunsAnswer>(["runs"]));
    expect(runs.map(({ run_id }) => run_id)).toEqual(order.reverse());
  });

  it("runs and questions are as old as they are, whoever looks", async () => {
    const fleet = await TestFleet.start();
    fleet.write("gate.yaml", GATE);
    await fleet.worker();
    const { run_id } = await fleet.json(["run", "gate.yaml"]);
    for (const command of [["runs"], ["gate", "list"], ["explain", run_id ?? ""]]) {
      const { stdout } = await asIfOff(HOUR_MS, () => fleet.segno(command));
      expect(stdout).toMatch(/\d+ (s|min) ago|just now/);
      expect(stdout).not.toContain(" h ago");
    }
  });

  it("a trigger that is resumed where the clock is fast leaves out no moment to come", async () => {
    const fleet = await TestFleet.start();
    fleet.write("gate.yaml", GATE);
    fleet.write(
      "segno.yaml",
      `name: yard\ntriggers:\n  - { name: often, workflow: gate.yaml, schedule: "* * * * *" }\n`,
    );
    const env = { HOME: fleet.folder };
    await fleet.segno(["trust", "--yes"], env);
    for (const act of ["pause", "resume"])
      expect((await asIfOff(HOUR_MS, () => fleet.segno(["triggers", act, "often"], env))).code).toBe(0);
    const [row] = await fleet.sql("select seen from segno.triggers");
    expect(Math.abs(Number(row?.seen) - Date.now())).toBeLessThan(HOUR_MS / 4);
  });

  it("a server whose clock is fast fires no moment early, follows runs that end, and leaves gates their time", async () => {
    const fleet = await TestFleet.start();
    fleet.write("gate.yaml", GATE.replace("timeout: 10m", "timeout: 10m\n    remind: 1s"));
    fleet.write("quick.yaml", QUICK);
    fleet.write("after.yaml", QUICK.replaceAll("quick", "after"));
    fleet.write(
      "segno.yaml",
      `name: yard
triggers:
  - { name: often, workflow: gate.yaml, schedule: "* * * * *", overlap: queue }
  - { name: after, workflow: after.yaml, on_run: { workflow: quick } }
`,
    );
    const [fast] = await shifted(fleet);
    const env = { ...fast, HOME: fleet.folder };
    await fleet.segno(["trust", "--yes"], env);
    await fleet.worker();
    const { run_id } = await fleet.json(["run", "gate.yaml"]);
    fleet.here.start(["serve", "--port", "0"], env);
    const { sql } = await cluster();
    const marks = async (): Promise<readonly number[]> =>
      (await sql("select seen from segno.triggers order by trigger_name", fleet.url)).map(({ seen }) => Number(seen));
    // Three rounds: every one looks at the gates, too.
    let last = "";
    for (let round = 0; round < 3; round++)
      last = await until(async () => {
        const now = await marks();
        return now.length > 1 && String(now) !== last ? String(now) : undefined;
      });
    for (const seen of await marks()) expect(Math.abs(seen - Date.now())).toBeLessThan(HOUR_MS / 4);
    await fleet.place("quick.yaml");
    await until(() => fleet.lines("log").includes("after"));
    for (const { fired } of await sql("select fired from segno.firings", fleet.url))
      expect(Math.abs(Number(fired) - Date.now())).toBeLessThan(HOUR_MS / 4);
    const events = await until(async () => {
      const all = await fleet.events(run_id ?? "");
      return all.filter(({ type }) => type === "gate_notified").length > 1 ? all : undefined;
    });
    for (const { ts, type } of events) {
      expect(Math.abs(Date.parse(ts) - Date.now())).toBeLessThan(HOUR_MS / 4);
      expect(type).not.toBe("run_resumed");
    }
  });

  it("dead letters and open breakers are as old as they are, whoever looks", async () => {
    const fleet = await TestFleet.start();
    fleet.write("fragile.yaml", FRAGILE);
    const years = 20 * 365 * 24 * HOUR_MS;
    await fleet.worker();
    await fleet.json(["run", "fragile.yaml"]);
    const { letters } = await asIfOff(years, () => fleet.json<LettersAnswer>(["dlq", "list"]));
    expect(letters).toHaveLength(1);
    const { breakers } = await asIfOff(years, () => fleet.json<BreakersAnswer>(["breakers"]));
    expect(breakers).toMatchObject([{ status: "open" }]);
    expect(breakers[0]?.retry_after_seconds).toBeGreaterThan(0);
  });

  it("a drive that waited for its time has waited for a worker only since then", async () => {
    const fleet = await TestFleet.withClock();
    fleet.write("waits.yaml", WAITS);
    const leaves = await fleet.worker({ SEGNO_HELD_WAIT_SECONDS: "1" });
    await fleet.place("waits.yaml");
    const { sql } = await cluster();
    const count = async (status: string): Promise<number> =>
      (await sql(`select 1 from dbos.workflow_status where status = '${status}'`, fleet.url)).length;
    await until(async () => (await count("DELAYED")) > 0);
    // As if it had been put there an hour ago, while somebody else has all places.
    const hour = `update dbos.workflow_status set created_at = created_at - ${HOUR_MS} where status = 'DELAYED'`;
    await sql(hour, fleet.url);
    await leaves.leave();
    await fleet.later(8);
    const store = await openPostgresStore(fleet.url, { home: fleet.folder, sealKey: SEAL_KEY });
    onTestFinished(() => store.close());
    const oldestMs = await until(async () => {
      await wakeInLanes(store.access.database, QUEUE, []);
      return (await store.fleet.queue()).oldestMs ?? undefined;
    });
    expect(oldestMs).toBeLessThan(HOUR_MS / 4);
  });
});

describe.skipIf(!hasPostgres)("a database whose clock is set", () => {
  const SILENCE_MS = 600;

  async function member(url: string, name: string): Promise<FleetMembers> {
    const store = await openPostgresStore(url, {
      home: "/nonexistent",
      silenceMs: SILENCE_MS,
      beatMs: 100,
      worker: { name, concurrency: 1, protocol: "1" },
    });
    onTestFinished(() => store.close());
    await store.access.members.self();
    return store.access.members;
  }

  /** What is known of its time, and all signs of life, are from before it was set forward so far. */
  async function setForward(url: string, one: FleetMembers, ms: number): Promise<void> {
    await (await cluster()).sql(`update segno.workers set heard = heard - ${ms}`, url);
    one.time.learn(one.now() - ms, performance.now());
  }

  async function givenUpBy(one: FleetMembers): Promise<string | undefined> {
    await one.beat();
    return (await one.sweep())[0];
  }

  it("forward gives nobody up before they could give a sign of life", async () => {
    const url = await freshDatabase();
    const [one, two] = [await member(url, "one"), await member(url, "two")];
    await setForward(url, one, HOUR_MS);
    expect(await one.sweep()).toEqual([]);
    await two.beat();
    await one.beat();
    expect((await two.beat()).dead).toBe(false);
    // And who gives none from then on is given up as ever.
    expect(await until(() => givenUpBy(one))).toBe(two.name);
  });

  it("back does not keep the dead alive until that time has come again", async () => {
    const url = await freshDatabase();
    const [one, two] = [await member(url, "one"), await member(url, "two")];
    await setForward(url, one, -HOUR_MS);
    expect(await one.sweep()).toEqual([]);
    expect(await until(() => givenUpBy(one))).toBe(two.name);
  });

  it("only in the eyes of who was told its time late gives up the silent as ever", async () => {
    const url = await freshDatabase();
    const two = await member(url, "two");
    const store = await openPostgresStore(url, { home: "/nonexistent", silenceMs: SILENCE_MS });
    onTestFinished(() => store.close());
    const { database, members } = store.access;
    const one = new FleetMembers(database, { version: "", beatMs: 100, silenceMs: SILENCE_MS, worker: "one" });
    onTestFinished(() => one.leave());
    // It was asked four seconds ago, and answered just now.
    one.time.learn(members.now(), performance.now() - 4000);
    await database.run("update segno.workers set heard = heard - 60000 where worker = $1", [two.name]);
    expect(await one.sweep()).toEqual([two.name]);
  });

  it("back does not hide a run that nobody will take", async () => {
    const url = await freshDatabase();
    const store = await openPostgresStore(url, { home: "/nonexistent" });
    onTestFinished(() => store.close());
    const { database, members } = store.access;
    const [runId, justPlaced] = [newRunId(), newRunId()];
    for (const id of [runId, justPlaced])
      await store.fleet.begin({ runId: id, workflow: "w", file: "/w.yaml", durability: "process" }, { request: {} });
    await database.run("delete from dbos.workflow_status");
    await database.run("update segno.runs set placed_at = placed_at + interval '1 hour' where run_id = $1", [runId]);
    expect((await new StrandedRuns(database, members).look()).map((run) => run.runId)).toEqual([runId]);
  });

  it("is known to who waited for its tables as it is to anyone else", async () => {
    const { empty, drop, sql } = await cluster();
    const url = await empty();
    onTestFinished(() => drop(url));
    const LONG_MS = 2000;
    const another = new Client({ connectionString: url });
    await another.connect();
    await another.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    const opening = openPostgresStore(url, { home: "/nonexistent" });
    // Whoever makes the tables in the meantime takes this long.
    const moment = Date.now() + LONG_MS;
    await until(() => Date.now() >= moment);
    await another.end();
    const store = await opening;
    onTestFinished(() => store.close());
    const [row] = await sql(`select ${DATABASE_NOW} as now_ms`, url);
    expect(Math.abs(store.now() - Number(row?.now_ms))).toBeLessThan(LONG_MS / 4);
  });

  it("by a moment lets no time of a run go back", async () => {
    const one = await member(await freshDatabase(), "one");
    const before = one.now();
    one.time.learn(before - 500, performance.now());
    expect(one.now()).toBeGreaterThanOrEqual(before);
    one.time.learn(before - HOUR_MS, performance.now());
    expect(one.now()).toBeLessThan(before);
  });
});
