// Triggers as a server drives them, on a clock that the test sets: one run for each moment and each delivery, whatever
// happens in between.
import { createHmac } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { until } from "../../../test/support/until.ts";
import { answerGate } from "../../services/gates/gates.ts";
import { readProject } from "../../services/project/read-project.ts";
import { BackgroundRuns } from "../../services/runs/background.ts";
import { cancelRun } from "../../services/runs/cancel.ts";
import { resumeRun } from "../../services/runs/resume.ts";
import { runWorkflow } from "../../services/runs/run.ts";
import { listRuns, showRun } from "../../services/runs/runs.ts";
import { storeFor } from "../../services/session/store.ts";
import { type HostClock, realClock } from "../../storage/clock.ts";
import type { EmbeddedStore } from "../../storage/embedded/store.ts";
import { TriggerDriver } from "./driver.ts";
import { leftOutOf } from "./firings.ts";
import { showTrigger, triggerHistory } from "./index.ts";

const FLOW = `
workflow: { name: flow, entry_point: note, input: { what: { type: string, default: "" } } }
agents: [{ name: note, type: set, value: "{{ workflow.input.what }}" }]
output: { what: "{{ note.output }}" }
`;
const SECRET = "s3cret";

class Yard {
  readonly base = mkdtempSync(join(tmpdir(), "segno-triggers-"));
  readonly dir = join(this.base, "work");
  readonly home = join(this.base, "home");
  readonly servers: TriggerDriver[] = [];
  readonly said: string[] = [];
  env: Readonly<Record<string, string>> = {};
  now = Date.parse("2026-11-15T00:30:00Z");

  constructor(triggers: string, flows: Readonly<Record<string, string>> = { "flow.yaml": FLOW }) {
    mkdirSync(this.dir, { recursive: true });
    for (const [name, text] of Object.entries(flows)) writeFileSync(join(this.dir, name), text);
    writeFileSync(join(this.dir, "segno.yaml"), `triggers:\n${triggers}`);
  }

  async server(): Promise<TriggerDriver> {
    const { project, findings } = readProject(join(this.dir, "segno.yaml"), this.env);
    if (!project) throw new Error(findings.map(({ message }) => message).join("\n"));
    const clock: HostClock = { ...realClock, now: () => this.now };
    const session = { cwd: this.dir, env: this.env, home: this.home };
    const driver = await TriggerDriver.open({
      project,
      session,
      clock,
      runs: new BackgroundRuns(),
      said: (sentence) => this.said.push(sentence),
    });
    this.servers.push(driver);
    return driver;
  }

  async rounds(...servers: readonly TriggerDriver[]): Promise<void> {
    await Promise.all(servers.map((one) => one.round()));
    await Promise.all(servers.map((one) => one.idle()));
  }

  at(time: string): void {
    this.now = Date.parse(time.includes("T") ? time : `2026-11-15T${time}Z`);
  }

  async firings() {
    const store = await storeFor({ cwd: this.dir, env: {}, home: this.home });
    try {
      return [...((await store.state.firings?.list()) ?? [])].reverse();
    } finally {
      await store.close();
    }
  }

  get runs(): readonly string[] {
    try {
      return readdirSync(join(this.home, "runs"));
    } catch {
      return [];
    }
  }
}

let yard: Yard;
const yardOf = (...made: ConstructorParameters<typeof Yard>): Yard => {
  yard = new Yard(...made);
  return yard;
};
afterEach(async () => {
  for (const server of yard.servers) await server.close();
  rmSync(yard.base, { recursive: true, force: true });
});

it("tells whoever starts a server how many triggers it drives, which are paused, and when the next moment comes", async () => {
  const place = yardOf(`  - { name: nightly, workflow: flow.yaml, schedule: "0 3 * * *" }
  - { name: hourly, workflow: flow.yaml, schedule: "@hourly" }
  - { name: after, workflow: flow.yaml, on_run: { workflow: other } }
`);
  place.at("01:30:00");
  const driver = await place.server();
  expect(await driver.about("segno.yaml")).toBe(
    "It drives the 3 triggers of segno.yaml: nightly, hourly, after. The next moment is that of hourly: 2026-11-15T02:00Z.",
  );
  const store = await storeFor({ cwd: place.dir, env: {}, home: place.home });
  await store.state.firings?.setPaused(`${join(place.dir, "segno.yaml")}#hourly`, true, place.now, "kim");
  await store.close();
  expect(await driver.about("segno.yaml")).toContain(
    "Paused: hourly. The next moment is that of nightly: 2026-11-15T03:00Z.",
  );
});

describe("a number for a text", () => {
  const IN_QUOTES = "Put it in quotes to keep it as it is written: JSON and YAML read 1.10 as 1.1.";
  const hook = (more: string) =>
    `  - { name: hook, workflow: flow.yaml, webhook: { path: /hooks/x, secret: ${SECRET}, verify: token }, ${more} }\n`;
  const sent = (text: string) => ({ path: "/hooks/x", headers: { "x-segno-token": SECRET }, body: Buffer.from(text) });

  it.each([
    ["{{ trigger.body.version }}", "1.10"],
    ["{{ trigger.body.version }}", "2.0"],
    ["{{ trigger.body.version }}", "12345678901234567890"],
    ["v{{ trigger.body.version }}", "1.10"],
  ])("is refused for %s where %s would become another text", async (template, number) => {
    const place = yardOf(hook(`inputs: { what: "${template}" }`));
    const server = await place.server();
    expect(await server.deliver(sent(`{"version":${number}}`))).toEqual({
      status: 422,
      body: { error: `the delivery does not fit \`inputs.what\`. ${IN_QUOTES}` },
    });
    expect(await place.firings()).toMatchObject([{ status: "failed", reason: expect.stringContaining(IN_QUOTES) }]);
    for (const plain of ["42", "2.5", '"1.10"'])
      expect((await server.deliver(sent(`{"version":${plain}}`))).status).toBe(202);
  });

  it("is refused without its password in the history, the list or what the server says", async () => {
    const flow = FLOW.replace('type: string, default: ""', "type: number");
    const place = yardOf(hook('inputs: { what: "{{ trigger.body.login.password }}" }'), { "flow.yaml": flow });
    const server = await place.server();
    const { status } = await server.deliver(sent('{"login":{"user":"ann","password":"letmein"}}'));
    expect(status).toBe(422);
    const session = { cwd: place.dir, env: {}, home: place.home };
    const [firing] = await place.firings();
    expect(firing?.reason).toContain("what");
    const shown = [
      await triggerHistory(session, { limit: 10 }),
      await showTrigger(session, { now: place.now, name: "hook" }),
      firing,
      place.said,
    ];
    expect(JSON.stringify(shown)).not.toContain("letmein");
  });

  it("tells deliveries apart by what was sent", async () => {
    const place = yardOf(hook('dedupe: "{{ trigger.body.version }}"'));
    const server = await place.server();
    const answers = [];
    for (const version of ['"7.1"', "7.10", '"7.10"', "9007199254740993", "9007199254740992"])
      answers.push((await server.deliver(sent(`{"version":${version}}`))).body);
    expect(answers.map((body) => "duplicate" in body)).toEqual([false, false, true, false, false]);
  });

  it("that stands in the file fails the firing, and whoever starts a server is told", async () => {
    const place =
      yardOf(`${hook("inputs: { what: 1.10 }")}  - { name: hourly, workflow: flow.yaml, schedule: "@hourly", inputs: { what: 1.10 } }
`);
    const server = await place.server();
    expect(await server.about("segno.yaml")).toMatch(
      /segno\.yaml is not valid: The trigger `hook`: the input `what` must be of type string, and is number\. Put it in quotes .* segno validate segno\.yaml$/,
    );
    expect((await server.deliver(sent("{}"))).status).toBe(503);
    await place.rounds(server);
    place.at("01:00:00");
    await place.rounds(server);
    expect(place.runs).toEqual([]);
    const refused = { status: "failed", reason: expect.stringContaining(IN_QUOTES) };
    expect(await place.firings()).toMatchObject([refused, refused]);
  });
});

describe("a schedule", () => {
  const hourly = (more = "") =>
    `  - { name: hourly, workflow: flow.yaml, schedule: "@hourly", inputs: { what: "{{ trigger.scheduled_at }}" }${more} }\n`;

  it("makes one run for each moment, with what it was fired for, whichever of two servers is first", async () => {
    const place = yardOf(hourly());
    const two = [await place.server(), await place.server()];
    await place.rounds(...two);
    expect(place.runs).toEqual([]);
    for (const time of ["01:00:00", "01:00:01", "01:59:59", "02:00:00"]) {
      place.at(time);
      await place.rounds(...two);
    }
    expect(place.runs).toHaveLength(2);
    expect((await place.firings()).map(({ status, reason, body }) => [status, reason, body.inputs])).toEqual([
      ["ended", "completed", { what: "2026-11-15T01:00:00.000Z" }],
      ["ended", "completed", { what: "2026-11-15T02:00:00.000Z" }],
    ]);
  });

  it("does not fire again when the clock is set back, and catches up with the last moment when it jumps ahead", async () => {
    const place = yardOf(hourly());
    const server = await place.server();
    for (const time of ["00:30:00", "01:00:00", "00:50:00", "01:00:30", "05:30:00"]) {
      place.at(time);
      await place.rounds(server);
    }
    const fired = (await place.firings()).map(({ status, body }) => [
      status,
      (body.cause as { scheduled_at: string }).scheduled_at.slice(11, 16),
    ]);
    expect(fired).toEqual([
      ["ended", "01:00"],
      ["skipped", "02:00"],
      ["skipped", "03:00"],
      ["skipped", "04:00"],
      ["ended", "05:00"],
    ]);
    expect(place.runs).toHaveLength(2);
  });

  it("that a fast clock drove into a time to come fires again by the right one, and no moment twice", async () => {
    const place = yardOf(`${hourly()}  - { name: after, workflow: flow.yaml, on_run: { workflow: other } }\n`, {
      "flow.yaml": FLOW,
      "other.yaml": FLOW.replace("name: flow", "name: other"),
    });
    const server = await place.server();
    for (const time of ["00:30:00", "05:30:00", "00:31:00", "00:31:01", "01:00:00", "05:00:01"]) {
      place.at(time);
      await place.rounds(server);
    }
    const fired = (await place.firings()).map(({ status, body }) => [
      status,
      (body.cause as { scheduled_at: string }).scheduled_at.slice(11, 16),
    ]);
    expect(fired.filter(([status]) => status === "ended").sort()).toEqual([
      ["ended", "01:00"],
      ["ended", "05:00"],
    ]);
    place.now = Date.now() + 3_600_000;
    await place.rounds(server);
    place.now = Date.now();
    await place.rounds(server);
    await runWorkflow({ cwd: place.dir, env: {}, home: place.home }, { file: "other.yaml", inputs: {} });
    place.now = Date.now();
    await place.rounds(server);
    expect(await place.firings()).toContainEqual(
      expect.objectContaining({ body: expect.objectContaining({ cause: expect.objectContaining({ name: "after" }) }) }),
    );
  });

  it("fires no moment twice and loses none that came while the clock was fast", async () => {
    const place = yardOf(hourly());
    const server = await place.server();
    const fired = async (): Promise<string[]> =>
      (await place.firings())
        .map(({ status, body }) => `${(body.cause as { scheduled_at: string }).scheduled_at.slice(11, 16)} ${status}`)
        .sort();
    const rounds = async (...times: readonly string[]): Promise<void> => {
      for (const time of times) {
        place.at(time);
        await place.rounds(server);
      }
    };
    // Fast by five hours from 00:30 to 02:30.
    await rounds("00:30:00", "05:30:00", "07:30:00");
    expect((await fired()).filter((one) => one.endsWith("ended"))).toEqual(["05:00 ended", "07:00 ended"]);
    await rounds("02:30:30");
    expect(await fired()).toEqual(["01:00 skipped", "02:00 ended", "05:00 ended", "07:00 ended"]);
    await rounds("03:00:01", "04:00:01", "05:00:01", "06:00:01", "07:00:01", "08:00:01");
    expect(await fired()).toEqual([
      "01:00 skipped",
      ...["02:00", "03:00", "04:00", "05:00", "06:00", "07:00", "08:00"].map((time) => `${time} ended`),
    ]);
    expect(place.runs).toHaveLength(7);
  });

  it("fires a moment at its time that a fast clock could make no run for", async () => {
    const place = yardOf(hourly());
    const server = await place.server();
    await place.rounds(server);
    writeFileSync(join(place.dir, "flow.yaml"), "nonsense");
    place.at("05:00:01");
    await place.rounds(server);
    writeFileSync(join(place.dir, "flow.yaml"), FLOW);
    expect((await place.firings()).map(({ status }) => status)).toContain("failed");
    for (const time of ["00:31:00", "05:00:01"]) {
      place.at(time);
      await place.rounds(server);
    }
    expect(place.runs).toHaveLength(1);
  });

  it.each(["none", "last"])(
    "that nobody drove for a day accounts for every minute, with any number of servers (catch_up: %s)",
    async (catchUp) => {
      const place = yardOf(`  - { name: often, workflow: flow.yaml, schedule: "* * * * *", catch_up: ${catchUp} }\n`);
      await place.rounds(await place.server());
      place.at("2026-11-16T00:30:30Z");
      await place.rounds(await place.server(), await place.server());
      const [leftOut, ...others] = await place.firings();
      expect(others.map(({ status }) => status)).toEqual([...Array(20).fill("skipped"), "ended"]);
      const range = { count: 1419, from: "2026-11-15T00:31:00.000Z", to: "2026-11-16T00:09:00.000Z" };
      expect(leftOut).toMatchObject({
        status: "skipped",
        reason: `1419 moments, from ${range.from} to ${range.to}, were missed: no server was up (catch_up: ${catchUp})`,
        body: { cause: { left_out: range } },
      });
      expect(place.said).toEqual([]);
    },
  );

  it("that catches up with all says what is left out, and counts no moment twice when its server is stopped in between", async () => {
    const place = yardOf(
      `  - { name: often, workflow: flow.yaml, schedule: "* * * * *", catch_up: all, when: "{{ false }}" }\n`,
    );
    const momentsOf = (firings: Awaited<ReturnType<Yard["firings"]>>): number =>
      firings.reduce((sum, firing) => sum + (leftOutOf(firing)?.count ?? 1), 0);
    await place.rounds(await place.server());
    place.at("2026-11-16T00:30:30Z");
    const stopped = await place.server();
    const end = new AbortController();
    const driven = stopped.run(end.signal);
    await until(async () => (await place.firings()).length > 10);
    end.abort();
    await driven;
    await stopped.close();
    const before = await place.firings();
    expect(before.length).toBeLessThan(500);
    place.at("2026-11-17T00:30:30Z");
    await place.rounds(await place.server());
    expect(momentsOf(await place.firings())).toBe(2 * 1440);
    expect(place.said).toEqual([
      "Warning: of the trigger often, 940 moments, from 2026-11-15T00:31:00.000Z to 2026-11-15T16:10:00.000Z, were left out: no server was up, and catch_up: all catches up with the newest 500 at most",
      expect.stringContaining("to 2026-11-16T16:10:00.000Z, were left out"),
    ]);
    const shown = await showTrigger({ cwd: place.dir, env: {}, home: place.home }, { name: "often", now: place.now });
    expect(shown.triggers[0]?.left_out).toMatchObject({ to: "2026-11-16T16:10:00.000Z" });
  });

  it("starts the run of a firing whose server was killed before it could", async () => {
    const place = yardOf(hourly());
    const store = await storeFor({ cwd: place.dir, env: {}, home: place.home });
    const id = `${join(place.dir, "segno.yaml")}#hourly`;
    const dead = JSON.stringify(["vm", 999_999_999, "x"]);
    await store.state.firings?.record({
      runId: "01M7G3GRQVC5TK8ECAQQ5H0QK5",
      trigger: id,
      at: place.now,
      marks: [{ name: "at:2026-11-15T00:00:00.000Z" }],
      depth: 0,
      body: { inputs: { what: "left behind" }, cause: {} },
    });
    await store.state.firings?.claim(
      "01M7G3GRQVC5TK8ECAQQ5H0QK5",
      dead.replace("vm", (await import("node:os")).hostname()),
    );
    await store.close();
    await place.rounds(await place.server(), await place.server());
    expect(place.runs).toEqual(["01M7G3GRQVC5TK8ECAQQ5H0QK5"]);
  });

  it.each(["is done", "goes on"])(
    "puts the run of a firing that %s into the list of runs, when it is not there",
    async (how) => {
      const place = yardOf(hourly(), {
        "flow.yaml": FLOW.replace(
          'type: set, value: "{{ workflow.input.what }}"',
          'type: wait, duration: "{{ workflow.input.what }}"',
        ),
      });
      const runId = "01M7G3GRQVC5TK8ECAQQ5H0QK5";
      const where = { cwd: place.dir, env: {}, home: place.home };
      const stop = new AbortController();
      if (how === "goes on") stop.abort();
      await runWorkflow(
        where,
        { file: "flow.yaml", inputs: { what: { value: "1ms" } }, runId },
        { signal: stop.signal },
      );
      const store = await storeFor(where);
      await store.state.firings?.record({
        runId,
        trigger: `${join(place.dir, "segno.yaml")}#hourly`,
        at: place.now,
        marks: [],
        depth: 0,
        body: { inputs: { what: "1ms" }, cause: {} },
      });
      (store as EmbeddedStore).state.runs.remove(runId);
      await store.close();
      expect((await listRuns(where, {})).runs).toEqual([]);
      await place.rounds(await place.server());
      expect((await listRuns(where, {})).runs).toMatchObject([{ run_id: runId, status: "completed", exit_code: 0 }]);
      expect(await place.firings()).toMatchObject([{ status: "ended", reason: "completed" }]);
    },
  );

  it.each([
    ["skip", ["ended", "skipped"], 1],
    ["queue", ["ended", "ended"], 2],
  ])("whose last run goes on does %s", async (overlap, statuses, runs) => {
    const place = yardOf(hourly(`, overlap: ${overlap}`), {
      "flow.yaml": FLOW.replace(
        'type: set, value: "{{ workflow.input.what }}"',
        'type: script, command: sleep, args: ["0.5"]',
      ),
    });
    const server = await place.server();
    await server.round();
    place.at("01:00:00");
    await server.round();
    place.at("02:00:00");
    await server.round();
    await server.idle();
    await place.rounds(server);
    expect((await place.firings()).map(({ status }) => status)).toEqual(statuses);
    expect(place.runs).toHaveLength(runs);
  });

  it("whose last run waits for a person is skipped until somebody has answered", async () => {
    const place = yardOf(hourly(), {
      "flow.yaml": FLOW.replace(
        'type: set, value: "{{ workflow.input.what }}"',
        "type: human_gate, prompt: go?, options: [{ value: go, route: $end }]",
      ).replace("note.output", "note.output.selected"),
    });
    const server = await place.server();
    for (const time of ["00:30:00", "01:00:00", "02:00:00"]) {
      place.at(time);
      await place.rounds(server);
    }
    expect((await place.firings()).map(({ status, reason }) => [status, reason])).toEqual([
      ["waits", null],
      ["skipped", "the run before it waits for a person (overlap: skip)"],
    ]);
    const [run = ""] = place.runs;
    await answerGate({ cwd: place.dir, env: {}, home: place.home }, { run, value: "go", inputs: {} });
    place.at("03:00:00");
    await place.rounds(server);
    expect(place.runs).toHaveLength(2);
    expect((await place.firings())[0]).toMatchObject({ status: "ended", reason: "completed" });
  });

  it.each([
    ["overlap: queue", ["waits", "fired"], 1],
    ["overlap: queue, concurrency: { key: all, limit: 1 }", ["waits", "fired"], 1],
    ["overlap: cancel_running", ["ended", "waits"], 2],
  ])("whose last run waits for a person has not ended (%s)", async (more, statuses, runs) => {
    const place = yardOf(hourly(`, ${more}`), {
      "flow.yaml": FLOW.replace(
        'type: set, value: "{{ workflow.input.what }}"',
        "type: human_gate, prompt: go?, options: [{ value: go, route: $end }]",
      ).replace("note.output", "note.output.selected"),
    });
    const server = await place.server();
    for (const time of ["00:30:00", "01:00:00", "02:00:00"]) {
      place.at(time);
      await place.rounds(server);
    }
    expect((await place.firings()).map(({ status }) => status)).toEqual(statuses);
    expect(place.runs).toHaveLength(runs);
    const where = { cwd: place.dir, env: {}, home: place.home };
    const { runs: known } = await listRuns(where, {});
    expect(known.map(({ status }) => status).sort()).toEqual(runs === 1 ? ["paused"] : ["cancelled", "paused"]);
    if (runs === 2) return;
    await answerGate(where, { run: place.runs[0] ?? "", value: "go", inputs: {} });
    await place.rounds(server);
    expect((await place.firings()).map(({ status }) => status)).toEqual(["ended", "waits"]);
  });

  it("with queue has a run that waits: it is known by its id, and can be called off", async () => {
    const gated = `workflow: { name: flow, entry_point: a, input: { what: { type: string, default: "" } } }
agents: [{ name: a, type: human_gate, prompt: go?, options: [{ value: go, route: $end }] }]
`;
    const place = yardOf(hourly(", overlap: queue"), { "flow.yaml": gated });
    const server = await place.server();
    for (const time of ["00:30:00", "01:00:00", "02:00:00"]) {
      place.at(time);
      await place.rounds(server);
    }
    const waiting = (await place.firings()).find(({ status }) => status === "fired")?.runId ?? "";
    const where = { cwd: place.dir, env: {}, home: place.home };
    const { error } = await showRun(where, { run: waiting });
    expect(error).toMatch(/has not begun: the trigger hourly fired at 2026-11-15T02:00:00/);
    const { firings } = await triggerHistory(where, { limit: 1 });
    expect(firings).toMatchObject([{ run_id: waiting, reason: "its run waits for its turn" }]);
    expect(await cancelRun(where, { run: waiting })).toMatchObject({ status: "cancelled", run_id: waiting });
    await answerGate(where, { run: place.runs[0] ?? "", value: "go", inputs: {} });
    await place.rounds(server);
    expect(place.runs).toHaveLength(1);
    expect((await place.firings()).map(({ reason }) => reason)).toEqual([
      "completed",
      expect.stringContaining("called off before it began, by "),
    ]);
  });

  it("with cancel_running ends the run before", async () => {
    const place = yardOf(hourly(", overlap: cancel_running"), {
      "flow.yaml": FLOW.replace(
        'type: set, value: "{{ workflow.input.what }}"',
        "type: script, command: sleep, args: [\"{{ 60 if '01:00' in workflow.input.what else 0 }}\"]",
      ),
    });
    const server = await place.server();
    await server.round();
    place.at("01:00:00");
    await server.round();
    place.at("02:00:00");
    await place.rounds(server);
    expect((await place.firings()).map(({ reason }) => reason)).toEqual([
      "cancelled for the next one (overlap: cancel_running)",
      "completed",
    ]);
  });

  it("fires nothing while it is paused, and does not catch up with it", async () => {
    const place = yardOf(hourly());
    const server = await place.server();
    const store = await storeFor({ cwd: place.dir, env: {}, home: place.home });
    const id = `${join(place.dir, "segno.yaml")}#hourly`;
    await server.round();
    await store.state.firings?.setPaused(id, true, place.now);
    place.at("03:00:00");
    await place.rounds(server);
    await store.state.firings?.setPaused(id, false, place.now);
    await place.rounds(server);
    await store.close();
    expect(place.runs).toEqual([]);
  });
});

describe("a webhook", () => {
  const pushed = (more = "") =>
    `  - { name: pushed, workflow: flow.yaml, webhook: { path: /hooks/push, secret: ${SECRET}, verify: github }, inputs: { what: "{{ trigger.body.ref }}" }${more} }\n`;
  const signed = (text: string, headers: object = {}, path = "/hooks/push") => ({
    path,
    headers: { "X-Hub-Signature-256": `sha256=${createHmac("sha256", SECRET).update(text).digest("hex")}`, ...headers },
    body: Buffer.from(text),
  });

  it("is answered with the id of a run that is on disk, and makes one run however often it comes", async () => {
    const place = yardOf(pushed());
    const two = [await place.server(), await place.server()];
    const push = signed('{"ref": "main"}', { "X-GitHub-Delivery": "1" });
    const answers = await Promise.all(two.map((server) => server.deliver(push)));
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    const ids = new Set(answers.map(({ body }) => body.run_id));
    expect(ids.size).toBe(1);
    expect((await place.firings()).map(({ runId }) => runId)).toEqual([...ids]);
    await place.rounds(...two);
    expect(place.runs).toEqual([...ids]);
    // A replay under another id is known by its body, for a day.
    const replayed = signed('{"ref": "main"}', { "X-GitHub-Delivery": "2" });
    expect(await two[0]?.deliver(replayed)).toMatchObject({ status: 202, body: { duplicate: true } });
    place.at("2026-11-16T00:31:00Z");
    expect((await two[0]?.deliver(replayed))?.body).not.toHaveProperty("duplicate");
  });

  it.each([
    [404, { ...signed("{}"), path: "/hooks/other" }],
    [401, { ...signed("{}"), body: Buffer.from("{ }") }],
    [401, { ...signed("{}"), headers: {} }],
    [413, signed(`"${"x".repeat(1024 * 1024)}"`)],
    [400, signed("{")],
    [400, signed("")],
    [400, { ...signed("[".repeat(1000) + "]".repeat(1000)) }],
  ])("is refused with %i, and nothing is kept of it", async (status, webhook) => {
    const place = yardOf(pushed());
    expect((await (await place.server()).deliver(webhook)).status).toBe(status);
    expect(await place.firings()).toEqual([]);
  });

  it.each([
    ["lacks what is read", "{}", "its `inputs.what`, `{{ trigger.body.ref }}`, could not be read"],
    ["has another type", '{"ref": [1]}', "its inputs are not what flow.yaml takes"],
  ])(
    "whose body %s is refused with the name of the field; why is recorded, and told to whoever serves",
    async (_, text, why) => {
      const place = yardOf(pushed());
      const server = await place.server();
      const error = "the delivery does not fit `inputs.what`";
      expect(await server.deliver(signed(text))).toEqual({ status: 422, body: { error } });
      expect(await place.firings()).toMatchObject([{ status: "failed", reason: expect.stringContaining(why) }]);
      expect(place.said).toEqual([expect.stringContaining(`The trigger pushed started no run: ${why}`)]);
      await place.rounds(server);
      expect(place.runs).toEqual([]);
    },
  );

  it.each([
    ["`when`", `when: "{{ trigger.body.a.b == '\${DEPLOY_KEY}' }}"`, "{}"],
    ["a variable that is not called a secret", `when: "{{ trigger.body.a.b == '\${STAGE}' }}"`, "{}"],
    ["`dedupe`", `dedupe: "\${DEPLOY_KEY}{{ trigger.body.a.b }}"`, "{}"],
    ["an input that could not be read", `inputs: { what: "\${STAGE}{{ trigger.body.a.b }}" }`, "{}"],
    ["an input of another type", `inputs: { what: "{{ ['\${DEPLOY_KEY}', trigger.body.ref] }}" }`, '{"ref": "x"}'],
  ])(
    "tells no one what the environment put into %s: not the sender, the history, the list or the terminal",
    async (_, more, text) => {
      const place = yardOf(pushed().replace(/inputs: \{.*?\} \}/, `${more} }`));
      place.env = { DEPLOY_KEY: "k3y-of-the-environment", STAGE: "inside-of-the-house" };
      const server = await place.server();
      const answer = await server.deliver(signed(text));
      expect(answer).toMatchObject({
        status: 422,
        body: { error: expect.stringMatching(/^the delivery does not fit `[\w.]+`$/) },
      });
      const where = { cwd: place.dir, env: place.env, home: place.home };
      const told = [
        answer,
        await place.firings(),
        place.said,
        await triggerHistory(where, { limit: 5 }),
        await showTrigger(where, { name: "pushed", now: place.now }),
      ];
      expect(place.said).toHaveLength(1);
      for (const one of told) expect(JSON.stringify(one)).not.toMatch(/of-the-environment|of-the-house/);
    },
  );

  it("that was signed as JSON is not taken as a form: the type of the body is not signed", async () => {
    const place = yardOf(pushed());
    const server = await place.server();
    // What somebody may write into a commit's message, in a body that GitHub signs.
    const text = JSON.stringify({ ref: "main", message: '&payload={"ref":"evil"}&' });
    const type = { "Content-Type": "application/x-www-form-urlencoded" };
    expect(await server.deliver(signed(text, type))).toMatchObject({ status: 400 });
    expect(
      await server.deliver(signed(`payload=${encodeURIComponent('{"ref": "a"}')}&payload=%7B%7D`, type)),
    ).toMatchObject({ status: 400 });
    expect(await place.firings()).toEqual([]);
    expect(await server.deliver(signed(text))).toMatchObject({ status: 202 });
  });

  it("that is GitHub's ping is answered and recorded, and makes no run, though it has nothing that inputs read", async () => {
    const place = yardOf(pushed());
    const server = await place.server();
    const ping = signed('{"zen": "Keep it logically awesome.", "hook_id": 1}', { "X-GitHub-Event": "ping" });
    const answer = { status: 200, body: { run_id: null, skipped: expect.stringContaining("ping") } };
    expect(await server.deliver(ping)).toMatchObject(answer);
    await place.rounds(server);
    expect(place.runs).toEqual([]);
    expect(await place.firings()).toMatchObject([{ status: "skipped", reason: expect.stringContaining("ping") }]);
    const said = signed('{"ref": "main"}', { "X-GitHub-Event": "ping" });
    expect((await server.deliver(said)).status, "the header alone, which is not signed, makes none").toBe(202);
  });

  it("may be a form, as GitHub sends it unless somebody chose JSON", async () => {
    const place = yardOf(pushed());
    const server = await place.server();
    const type = { "Content-Type": "application/x-www-form-urlencoded" };
    const form = signed(`payload=${encodeURIComponent('{"ref": "main + more"}')}`, type);
    expect(await server.deliver(form)).toMatchObject({ status: 202 });
    expect((await place.firings())[0]?.body.inputs).toEqual({ what: "main + more" });
    expect((await server.deliver(signed("other=1", type))).status).toBe(400);
  });

  it("whose workflow is broken may be sent again once it is mended", async () => {
    const place = yardOf(pushed(), { "flow.yaml": FLOW.replace("entry_point: note", "entry_point: nobody") });
    const server = await place.server();
    const push = signed('{"ref": "main"}', { "X-GitHub-Delivery": "1" });
    expect(await server.deliver(push)).toMatchObject({ status: 503 });
    expect(place.said).toEqual([expect.stringContaining("flow.yaml cannot be run: ")]);
    writeFileSync(join(place.dir, "flow.yaml"), FLOW);
    expect(await server.deliver(push)).toMatchObject({ status: 202 });
    await place.rounds(server);
    expect(place.runs).toHaveLength(1);
  });

  it("gives a workflow what was sent, and evaluates nothing of it", async () => {
    const place = yardOf(pushed());
    const server = await place.server();
    await server.deliver(signed('{"ref": "{{ 7 * 7 }}{% for x in y %}${HOME}"}'));
    await place.rounds(server);
    expect((await place.firings()).map(({ body, reason }) => [body.inputs, reason])).toEqual([
      [{ what: "{{ 7 * 7 }}{% for x in y %}${HOME}" }, "completed"],
    ]);
  });

  it("may bring what looks like Segno's own mark for a secret: it is a value, and the run can be shown", async () => {
    const place = yardOf(pushed(), { "flow.yaml": FLOW.replace('{ type: string, default: "" }', "{ type: object }") });
    const server = await place.server();
    const { body } = await server.deliver(signed('{"ref": {"$secret": "what"}}'));
    await place.rounds(server);
    const shown = await showRun({ cwd: place.dir, env: {}, home: place.home }, { run: String(body.run_id) });
    expect(shown).toMatchObject({ status: "completed", output: { what: { $secret: "what" } } });
  });

  it("is skipped when `when` is false, and known again by `dedupe`", async () => {
    const place = yardOf(pushed(`, when: "{{ trigger.body.ref == 'main' }}", dedupe: "{{ trigger.body.after }}"`));
    const server = await place.server();
    expect(await server.deliver(signed('{"ref": "other", "after": "a"}'))).toMatchObject({
      status: 200,
      body: { run_id: null },
    });
    const first = await server.deliver(signed('{"ref": "main", "after": "a", "n": 1}'));
    const second = await server.deliver(signed('{"ref": "main", "after": "a", "n": 2}'));
    expect(second).toEqual({ status: 202, body: { run_id: first.body.run_id, duplicate: true } });
  });

  it.each(["null", '""', '" "'])("whose `dedupe` comes to %s is told apart as if there were none", async (id) => {
    const place = yardOf(pushed(', dedupe: "{{ trigger.body.id }}"'));
    const server = await place.server();
    const first = await server.deliver(signed(`{"ref": "a", "id": ${id}}`));
    const second = await server.deliver(signed(`{"ref": "b", "id": ${id}}`));
    expect(second).toEqual({ status: 202, body: { run_id: expect.any(String) } });
    expect(second.body.run_id).not.toBe(first.body.run_id);
    expect(await server.deliver(signed(`{"ref": "a", "id": ${id}}`))).toMatchObject({
      body: { run_id: first.body.run_id, duplicate: true },
    });
  });

  it("waits while so many of its key go on", async () => {
    const place = yardOf(pushed(', concurrency: { key: "{{ trigger.body.repo }}", limit: 1 }'), {
      "flow.yaml": FLOW.replace(
        'type: set, value: "{{ workflow.input.what }}"',
        'type: script, command: sleep, args: ["0.5"]',
      ),
    });
    const server = await place.server();
    for (const n of [1, 2]) await server.deliver(signed(JSON.stringify({ repo: "a", ref: "", n })));
    await server.deliver(signed(JSON.stringify({ repo: "b", ref: "" })));
    await server.round();
    const going = (await place.firings()).filter(({ status }) => status === "fired");
    expect(going).toHaveLength(3);
    expect(place.runs.length).toBeLessThanOrEqual(2);
    await server.idle();
    await place.rounds(server);
    expect(place.runs).toHaveLength(3);
  });

  it("without a secret is always refused", async () => {
    const place = yardOf(pushed().replace(SECRET, "${NOT_SET}"));
    const empty = createHmac("sha256", "").update("{}").digest("hex");
    const forged = {
      path: "/hooks/push",
      headers: { "x-hub-signature-256": `sha256=${empty}` },
      body: Buffer.from("{}"),
    };
    expect((await (await place.server()).deliver(forged)).status).toBe(401);
  });
});

describe("after a run", () => {
  // The time is the real one here, so no schedule may come due.
  const chain = `  - { name: again, workflow: flow.yaml, on_run: { workflow: flow, status: [completed] } }
  - { name: kick, workflow: flow.yaml, webhook: { path: /hooks/kick, secret: ${SECRET}, verify: token } }
`;

  it("does not fire for runs that ended before its filter was as it is now", async () => {
    const firesAfter = (status: string) =>
      `triggers:\n  - { name: after, workflow: flow.yaml, on_run: { workflow: other, status: [${status}] } }\n`;
    const other = FLOW.replace("name: flow", "name: other");
    const place = yardOf(chain, { "flow.yaml": FLOW, "other.yaml": other });
    writeFileSync(join(place.dir, "segno.yaml"), firesAfter("failed"));
    place.now = Date.now() - 4000;
    await place.rounds(await place.server());
    const run = () => runWorkflow({ cwd: place.dir, env: {}, home: place.home }, { file: "other.yaml", inputs: {} });
    await run();
    place.now = Date.now() + 1;
    writeFileSync(join(place.dir, "segno.yaml"), firesAfter("completed"));
    const changed = await place.server();
    await place.rounds(changed);
    await place.rounds(changed);
    expect(await place.firings()).toEqual([]);
    await until(() => Date.now() > place.now);
    await run();
    await place.rounds(changed);
    expect(await place.firings()).toHaveLength(1);
  });

  it("does not fire for a rehearsal, of which nothing was real", async () => {
    const place = yardOf("  - { name: after, workflow: flow.yaml, on_run: { workflow: other } }\n", {
      "flow.yaml": FLOW,
      "other.yaml": FLOW.replace("name: flow", "name: other"),
    });
    writeFileSync(join(place.dir, "played.scenario.yaml"), "workflow: other.yaml\n");
    place.now = Date.now() - 4000;
    const server = await place.server();
    await place.rounds(server);
    const run = (more: object) =>
      runWorkflow({ cwd: place.dir, env: {}, home: place.home }, { file: "other.yaml", inputs: {}, ...more });
    expect(await run({ scenario: "played.scenario.yaml" })).toMatchObject({ status: "completed" });
    place.now = Date.now();
    await place.rounds(server);
    expect(await place.firings()).toEqual([]);
    await run({});
    place.now = Date.now();
    await place.rounds(server);
    expect(await place.firings()).toHaveLength(1);
  });

  it("was set off by whoever started that run: they are not the other pair of eyes of this one", async () => {
    const asks = `
workflow: { name: asks, entry_point: ask }
agents: [{ name: ask, type: human_gate, prompt: Go on?, four_eyes: true, options: [{ value: "yes", route: $end }] }]
`;
    const place = yardOf("  - { name: after, workflow: asks.yaml, on_run: { workflow: flow } }\n", {
      "flow.yaml": FLOW,
      "asks.yaml": asks,
    });
    place.now = Date.now() - 4000;
    const server = await place.server();
    await place.rounds(server);
    const where = { cwd: place.dir, env: {}, home: place.home };
    await runWorkflow({ ...where, person: "kim" }, { file: "flow.yaml", inputs: {} });
    place.now = Date.now();
    await place.rounds(server);
    const [firing] = await place.firings();
    expect(firing).toMatchObject({ status: "waits", body: { cause: { person: "kim" } } });
    const answer = { ...where, run: firing?.runId ?? "", value: "yes", inputs: {} };
    expect(await answerGate({ ...answer, person: "kim" }, answer)).toMatchObject({ exit_code: 2 });
    expect(await answerGate({ ...answer, person: "sam" }, answer)).toMatchObject({ status: "completed" });
  });

  it("is about what somebody made of that run: whoever resumed it with other inputs may not answer either", async () => {
    const asks = `
workflow: { name: asks, entry_point: ask }
agents: [{ name: ask, type: human_gate, prompt: Go on?, four_eyes: true, options: [{ value: "yes", route: $end }] }]
`;
    const flow = `
workflow: { name: flow, entry_point: check, input: { what: { type: string, default: bad } } }
agents:
  - { name: check, type: script, command: test, args: ["{{ workflow.input.what }}", "=", good], routes: [{ to: $end, when: "{{ check.output.exit_code == 0 }}" }] }
`;
    const place = yardOf(
      "  - { name: after, workflow: asks.yaml, on_run: { workflow: flow, status: [completed] } }\n",
      { "flow.yaml": flow, "asks.yaml": asks },
    );
    place.now = Date.now() - 4000;
    const server = await place.server();
    await place.rounds(server);
    const where = { cwd: place.dir, env: { PATH: process.env.PATH }, home: place.home };
    const failed = await runWorkflow({ ...where, person: "kim" }, { file: "flow.yaml", inputs: {} });
    expect(failed.status).toBe("failed");
    const inputs = { what: { value: "good" } };
    const mended = await resumeRun({ ...where, person: "sam" }, { target: failed.run_id ?? "", inputs });
    expect(mended.status).toBe("completed");
    place.now = Date.now();
    await place.rounds(server);
    const [firing] = await place.firings();
    const answer = { ...where, run: firing?.runId ?? "", value: "yes", inputs: {} };
    for (const person of ["kim", "sam"])
      expect(await answerGate({ ...answer, person }, answer), person).toMatchObject({ exit_code: 2 });
    expect(await answerGate({ ...answer, person: "pat" }, answer)).toMatchObject({ status: "completed" });
  });

  it("makes one run for each end, and chains end at eight", async () => {
    const place = yardOf(chain);
    const server = await place.server();
    // The index has real times of ends.
    place.now = Date.now() - 4000;
    await server.round();
    const kick = `${join(place.dir, "segno.yaml")}#kick`;
    const store = await storeFor({ cwd: place.dir, env: {}, home: place.home });
    await store.state.firings?.record({
      runId: "01M7G3GRQVC5TK8ECAQQ5H0QK5",
      trigger: kick,
      at: place.now,
      marks: [],
      depth: 0,
      body: { cause: {} },
    });
    await store.close();
    for (let round = 0; round < 12; round++) {
      place.now = Date.now();
      await place.rounds(server);
    }
    const fired = await place.firings();
    expect(fired.map(({ depth, status }) => `${depth} ${status}`)).toEqual([
      ...Array.from({ length: 8 }, (_, depth) => `${depth} ended`),
      "8 skipped",
    ]);
    expect(place.runs).toHaveLength(8);
  });
});
