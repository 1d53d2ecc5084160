// Triggers on a fleet: whichever of several drivers fires, there is one run for each moment and each delivery, and overlap
// and limits hold over all of them.
import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { readProject } from "../../../services/project/read-project.ts";
import { BackgroundRuns } from "../../../services/runs/background.ts";
import { realClock } from "../../../storage/clock.ts";
import type { Firing } from "../../../storage/firings.ts";
import { newRunId } from "../../../storage/run-index.ts";
import { TriggerDriver } from "../../triggers/driver.ts";
import { openPostgresStore, type PostgresStore } from "../postgres/store.ts";
import { hasPostgres } from "./cluster.ts";
import { SEAL_KEY, TestFleet } from "./fleet.ts";

const SECRET = "it is between us";
const FLOW = `workflow: { name: flow, entry_point: note, input: { what: { type: string, default: nothing } } }
agents:
  - { name: note, type: script, command: sh, args: [-c, 'echo "begin $0" >> log; sleep 0.4; echo "end $0" >> log', "{{ workflow.input.what }}"] }
`;
const hourly = (more = "") =>
  `  - { name: hourly, workflow: flow.yaml, schedule: "@hourly", inputs: { what: "{{ trigger.scheduled_at }}" }${more} }\n`;
const pushed = (more = "") =>
  `  - { name: pushed, workflow: flow.yaml, webhook: { path: /hooks/push, secret: ${SECRET}, verify: github }, inputs: { what: "{{ trigger.body.n | string }}" }${more} }\n`;
const push = (n: number) => {
  const text = JSON.stringify({ n });
  const signature = `sha256=${createHmac("sha256", SECRET).update(text).digest("hex")}`;
  return {
    path: "/hooks/push",
    headers: { "x-hub-signature-256": signature, "x-github-delivery": String(n) },
    body: Buffer.from(text),
  };
};

/** A fleet with a worker, and drivers of triggers of the test's own, with a clock of its own. */
class Yard {
  readonly fleet: TestFleet;
  now = Date.parse("2026-11-15T00:30:00Z");

  private constructor(fleet: TestFleet) {
    this.fleet = fleet;
  }

  static async with(triggers: string): Promise<Yard> {
    const fleet = await TestFleet.start();
    fleet.write("flow.yaml", FLOW);
    fleet.write("segno.yaml", `name: yard\ntriggers:\n${triggers}`);
    return new Yard(fleet);
  }

  async store(): Promise<PostgresStore> {
    const store = await openPostgresStore(this.fleet.url, { home: join(this.fleet.folder, "look"), sealKey: SEAL_KEY });
    onTestFinished(() => store.close());
    return store;
  }

  async driver(): Promise<TriggerDriver> {
    const { folder, url } = this.fleet;
    const { project } = readProject(join(folder, "segno.yaml"), {});
    if (!project) throw new Error("the project is not valid");
    return TriggerDriver.open({
      project,
      session: { cwd: folder, env: { SEGNO_SEAL_KEY: SEAL_KEY }, home: join(folder, "home"), fleet: url },
      store: await this.store(),
      clock: { ...realClock, now: () => this.now },
      runs: new BackgroundRuns(),
    });
  }

  at(time: string): void {
    this.now = Date.parse(`2026-11-15T${time}Z`);
  }

  async rounds(...drivers: readonly TriggerDriver[]): Promise<void> {
    await Promise.all(drivers.map((one) => one.round()));
  }

  /** Rounds until all that was fired is over. */
  async settled(...drivers: readonly TriggerDriver[]): Promise<readonly Firing[]> {
    const store = await this.store();
    const list = async () => (await store.state.firings?.list({ order: "oldest" })) ?? [];
    await until(async () => {
      await this.rounds(...drivers);
      return (await list()).every(({ status }) => status !== "fired");
    });
    return list();
  }
}

describe.skipIf(!hasPostgres)("triggers on a fleet", () => {
  it("make one run for each moment, whichever of three drivers is first", async () => {
    const yard = await Yard.with(hourly());
    await yard.fleet.worker();
    const three = [await yard.driver(), await yard.driver(), await yard.driver()];
    await yard.rounds(...three);
    for (const time of ["01:00:00", "02:00:00"]) {
      yard.at(time);
      await yard.rounds(...three);
      await yard.settled(...three);
    }
    const firings = await yard.settled(...three);
    expect(firings.map(({ status, reason }) => [status, reason])).toEqual([
      ["ended", "completed"],
      ["ended", "completed"],
    ]);
    expect(yard.fleet.lines("log")).toEqual([
      "begin 2026-11-15T01:00:00.000Z",
      "end 2026-11-15T01:00:00.000Z",
      "begin 2026-11-15T02:00:00.000Z",
      "end 2026-11-15T02:00:00.000Z",
    ]);
    const { runs } = await yard.fleet.json<{ runs: readonly { run_id: string }[] }>(["runs"]);
    expect(new Set(runs.map(({ run_id }) => run_id))).toEqual(new Set(firings.map(({ runId }) => runId)));
  });

  it.each([
    ["none", [], ["01:00", "02:00", "03:00"]],
    ["last", ["03:00"], ["01:00", "02:00"]],
    ["all", ["01:00", "02:00", "03:00"], []],
  ])("that were away over three moments catch up with %s of them, once", async (catchUp, caught, missed) => {
    const yard = await Yard.with(hourly(`, overlap: queue, catch_up: ${catchUp}`));
    await yard.rounds(await yard.driver());
    yard.at("03:20:00");
    await yard.fleet.worker();
    const three = [await yard.driver(), await yard.driver(), await yard.driver()];
    const firings = await yard.settled(...three);
    const momentsOf = (wanted: Firing["status"]) =>
      firings
        .filter(({ status }) => status === wanted)
        .map(({ body }) => (body.cause as { scheduled_at: string }).scheduled_at.slice(11, 16))
        .sort();
    expect(momentsOf("ended")).toEqual(caught);
    expect(momentsOf("skipped")).toEqual(missed);
    expect(firings).toHaveLength(3);
    for (const { status, reason } of firings)
      expect(reason).toBe(status === "ended" ? "completed" : `no server was up (catch_up: ${catchUp})`);
    const begun = yard.fleet.lines("log").filter((line) => line.startsWith("begin"));
    expect(begun.map((line) => line.slice(17, 22))).toEqual(caught);
  });

  it("make one run for a delivery that comes to three drivers at once, and hold a limit over all of them", async () => {
    const yard = await Yard.with(pushed(', concurrency: { key: "{{ trigger.name }}", limit: 1 }'));
    await yard.fleet.worker();
    const three = [await yard.driver(), await yard.driver(), await yard.driver()];
    for (const n of [1, 2, 3, 4]) {
      const answers = await Promise.all(three.map((driver) => driver.deliver(push(n))));
      expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
      expect(new Set(answers.map(({ body }) => body.run_id)).size).toBe(1);
    }
    const firings = await yard.settled(...three);
    expect(firings.map(({ reason }) => reason)).toEqual(Array(4).fill("completed"));
    expect(yard.fleet.lines("log")).toEqual([1, 2, 3, 4].flatMap((n) => [`begin ${n}`, `end ${n}`]));
  });

  it.each([
    ["skip", ["completed", "the run before it has not ended (overlap: skip)"]],
    ["queue", ["completed", "completed"]],
    ["cancel_running", ["cancelled for the next one (overlap: cancel_running)", "completed"]],
  ])("%s a moment while the run before goes on at some worker", async (overlap, reasons) => {
    const yard = await Yard.with(hourly(`, overlap: ${overlap}`));
    yard.fleet.write("flow.yaml", FLOW.replace("sleep 0.4", "until test -e go; do sleep 0.1; done"));
    await yard.fleet.worker();
    const two = [await yard.driver(), await yard.driver()];
    await yard.rounds(...two);
    yard.at("01:00:00");
    await yard.rounds(...two);
    await until(() => yard.fleet.lines("log").length > 0);
    yard.at("02:00:00");
    await yard.rounds(...two);
    yard.fleet.write("go", "");
    expect((await yard.settled(...two)).map(({ reason }) => reason)).toEqual(reasons);
  });

  it("start the run of a firing whose driver died, and not the one of who only stood still and was given up", async () => {
    const yard = await Yard.with(hourly());
    const [slow, other] = [await yard.store(), await yard.store()];
    const runId = newRunId();
    const trigger = "yard#hourly";
    await slow.state.firings?.record({ runId, trigger, at: yard.now, marks: [], depth: 0, body: { inputs: {} } });
    expect(await slow.state.firings?.claim(runId)).toBe(true);
    expect(await other.state.firings?.claim(runId)).toBe(false);
    // Given up by the others, as after a silence.
    await other.access.database.run("update segno.workers set dead = true where worker = $1", [
      await slow.state.liveness.self(),
    ]);
    expect(await other.state.firings?.claim(runId)).toBe(true);
    const run = { runId, workflow: "flow", file: join(yard.fleet.folder, "flow.yaml"), durability: "process" } as const;
    const drive = { request: { kind: "first", file: run.file, inputs: {}, cwd: yard.fleet.folder }, isOfFiring: true };
    await slow.fleet.begin(run, drive);
    expect(await other.summary(runId)).toBeUndefined();
    await other.fleet.begin(run, drive);
    await other.fleet.begin(run, drive);
    expect(await other.summary(runId)).toMatchObject({ status: "queued" });
    expect(await other.fleet.queue()).toMatchObject({ waiting: 1 });
    expect(await other.state.firings?.get(runId)).toMatchObject({ status: "fired", isPlaced: true });
  });
});

describe.skipIf(!hasPostgres)("a run that no worker can drive", () => {
  it("ends its firing as failed, with the reason, and the worker says it", async () => {
    const yard = await Yard.with(hourly());
    const store = await yard.store();
    const runId = newRunId();
    await store.state.firings?.record({
      runId,
      trigger: "yard#hourly",
      at: yard.now,
      marks: [],
      depth: 0,
      body: { inputs: {} },
    });
    await store.state.firings?.claim(runId);
    const file = join(yard.fleet.folder, "gone.yaml");
    await store.fleet.begin(
      { runId, workflow: "gone", file, durability: "process" },
      { request: { kind: "first", file, inputs: {}, cwd: yard.fleet.folder }, isOfFiring: true },
    );
    const worker = await yard.fleet.worker();
    const [firing] = await yard.settled(await yard.driver());
    expect(firing).toMatchObject({ status: "failed", reason: expect.stringContaining("gone.yaml") });
    expect(worker.said()).toMatch(new RegExp(`The run ${runId} could not be driven: .*gone.yaml`));
    expect(await yard.fleet.json(["show", runId])).toMatchObject({
      run_id: runId,
      status: "failed",
      success: false,
      error: expect.stringMatching(/^no worker could drive it: .*gone\.yaml/),
    });
    expect(await yard.fleet.json(["runs"])).toMatchObject({ runs: [{ run_id: runId, status: "failed" }] });
  });
});

describe.skipIf(!hasPostgres)("approvers", () => {
  it("are people of the project that a run is placed from, by hand and by a trigger, whatever project the worker is in", async () => {
    const yard = await Yard.with(hourly());
    const gated = `workflow: { name: gated, entry_point: ask }
agents:
  - { name: ask, type: human_gate, prompt: go?, approvers: [alex, "@release"], options: [{ value: go, route: $end }] }
`;
    yard.fleet.write("flow.yaml", gated.replace("name: gated", "name: gated, input: { what: { type: string } }"));
    const people = "people: { alex: {}, kim: {} }\ngroups: { release: [kim] }\n";
    yard.fleet.write("segno.yaml", `name: yard\n${people}triggers:\n${hourly()}`);
    const driver = await yard.driver();
    // What the worker stands in knows nobody.
    yard.fleet.write("segno.yaml", "name: other\n");
    await yard.fleet.worker();
    const away = yard.fleet.elsewhere();
    writeFileSync(join(away.folder, "segno.yaml"), people);
    writeFileSync(join(away.folder, "gated.yaml"), gated);
    expect(await away.json(["run", "gated.yaml", "--on", yard.fleet.url])).toMatchObject({ status: "paused" });
    const gates = async () => (await yard.fleet.json<{ gates: readonly object[] }>(["gate", "list"])).gates;
    await yard.rounds(driver);
    yard.at("01:00:00");
    await yard.rounds(driver);
    await until(async () => (await gates()).length === 2);
    expect(await gates()).toMatchObject(Array(2).fill({ approvers: ["alex", "kim"] }));
  });
});

describe.skipIf(!hasPostgres)("a worker in a trusted project", () => {
  it("takes webhooks, tells metrics, lets triggers be looked at and paused from anywhere, and reminds people", async () => {
    const fleet = await TestFleet.withClock();
    const env = { HOME: fleet.folder, SEGNO_SERVE_TOKEN: "a token that is long enough".replaceAll(" ", "-") };
    fleet.write("flow.yaml", FLOW);
    fleet.write(
      "gated.yaml",
      `workflow: { name: gated, entry_point: ask }
agents:
  - { name: ask, type: human_gate, prompt: go?, timeout: 600, on_timeout: skip, remind: 1, notify: { command: sh, args: [-c, "cat >> told"] }, options: [{ label: Skip, value: skip, route: $end }] }
`,
    );
    // By the clock of this machine: one that is due every hour would fire in the middle of the test now and then.
    fleet.write("segno.yaml", `name: yard\ntriggers:\n${pushed()}${hourly().replace("@hourly", "@yearly")}`);
    expect((await fleet.segno(["trust", "--yes"], env)).code).toBe(0);
    const workers = [await fleet.workerProcess(env, "--port", "0"), await fleet.workerProcess(env, "--port", "0")];
    const doors = await Promise.all(
      workers.map(({ said }) => until(() => /Metrics and webhooks: (http:\S+)\//.exec(said())?.[1])),
    );
    const { path, headers, body } = push(7);
    const answers = await Promise.all(
      doors.map(async (door) => (await fetch(`${door}${path}`, { method: "POST", headers, body })).json()),
    );
    const ids = new Set(answers.map((answer) => (answer as { run_id: string }).run_id));
    expect(ids.size).toBe(1);
    const [runId = ""] = ids;
    await until(async () => (await fleet.statusOf(runId)) === "completed");
    expect(await fleet.events(runId)).toMatchObject([
      { type: "workflow_started", data: { started_by: "trigger:pushed" } },
      ...Array((await fleet.events(runId)).length - 1).fill({}),
    ]);
    expect((await fetch(`${doors[0]}${path}`, { method: "POST", body })).status).toBe(401);
    const forbidden = await fetch(`${doors[0]}/metrics`);
    expect(forbidden.status).toBe(401);
    const texts = await Promise.all(
      doors.map(async (door) =>
        (await fetch(`${door}/metrics`, { headers: { authorization: `Bearer ${env.SEGNO_SERVE_TOKEN}` } })).text(),
      ),
    );
    expect(texts.join("")).toContain('segno_runs_total{workflow="flow",status="completed"} 1');
    expect(texts[0]).toContain("segno_queue_depth 0\n");
    expect(texts[0]).toContain("segno_queue_age_seconds 0\n");

    const history = async () =>
      (await fleet.json<{ firings: readonly { trigger: string; run_id: string }[] }>(["triggers", "history"], env))
        .firings;
    await until(async () => (await history())[0]?.run_id === runId);
    const paused = await fleet.json<{ triggers: readonly object[] }>(["triggers", "pause", "pushed"], env);
    expect(paused.triggers).toMatchObject([{ name: "pushed", paused: true }]);
    const skipped = await fetch(`${doors[1]}${path}`, { method: "POST", ...push(8) });
    expect([skipped.status, await skipped.json()]).toEqual([200, { run_id: null, skipped: "the trigger is paused" }]);
    await fleet.segno(["triggers", "resume", "pushed"], env);
    writeFileSync(join(fleet.folder, "body.json"), '{"n": 9}');
    expect(await fleet.json(["triggers", "fire", "pushed", "--body", "body.json"], env)).toMatchObject({
      status: "completed",
    });
    expect(await history()).toHaveLength(3);

    const gated = await fleet.place("gated.yaml");
    const notified = async () => (await fleet.events(gated)).filter(({ type }) => type === "gate_notified");
    await until(async () => (await notified()).length >= 2);
    await fleet.later(600);
    await until(async () => (await fleet.statusOf(gated)) === "completed");
    const sent = (await notified()).filter(({ data }) => "ok" in data && data.ok).length;
    // A reminder that goes out while the gate ends is not recorded.
    expect([sent, sent + 1]).toContain(fleet.lines("told").length);
  });
});
