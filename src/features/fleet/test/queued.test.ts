// Runs that a fleet has and no worker drives: every face calls them queued, says why they wait, and lets nobody wait with them.
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startApi } from "../../../../test/resilience/api.ts";
import { Served } from "../../../../test/support/served.ts";
import { until } from "../../../../test/support/until.ts";
import { checkFleet } from "../../../services/doctor/checks.ts";
import { explainRun } from "../../../services/explain/index.ts";
import { listRuns, showRun } from "../../../services/runs/runs.ts";
import { newRunId } from "../../../storage/run-index.ts";
import { openPostgresStore } from "../postgres/store.ts";
import { drainWorker, listWorkers } from "../work/workers.ts";
import { hasPostgres } from "./cluster.ts";
import { QUICK, SEAL_KEY, TestFleet } from "./fleet.ts";

const NOTE = `workflow: { name: notes, entry_point: note }
agents:
  - { name: note, type: set, value: 1 }
`;

const GATE = `workflow: { name: asks, entry_point: approve }
agents:
  - name: approve
    type: human_gate
    prompt: Ship it?
    options: [{ label: "Yes", value: "yes", route: ship }, { label: "No", value: "no", route: $end }]
  - { name: ship, type: set, value: 1, routes: [{ to: $end }] }
`;

const BAD = `workflow: { name: bad, entry_point: break }
agents:
  - { name: break, type: http, url: "http://127.0.0.1:1/" }
`;

const REST = `workflow: { name: rests, entry_point: rest }
agents:
  - { name: rest, type: wait, duration: 1h }
`;

const HELD = `workflow: { name: held, entry_point: stay }
agents:
  - { name: stay, type: script, command: sleep, args: ["170"] }
`;

const letters = (
  url: string,
): string => `workflow: { name: fragile, entry_point: each, resilience: { dead_letter: true } }
for_each:
  - name: each
    type: for_each
    source: "{{ [1] }}"
    as: n
    failure_mode: continue_on_error
    agent: { name: item, type: http, url: "${url}/{{ n }}", timeout: 60 }
    routes: [{ to: $end }]
`;

const NOBODY = "No worker is there to take the run.";

/** A page over a fleet, whose workers are elsewhere. */
async function scene(files: Readonly<Record<string, string>>) {
  const fleet = await TestFleet.withClock();
  const env = { PATH: process.env.PATH, SEGNO_SEAL_KEY: SEAL_KEY };
  const page = await Served.start(files, {}, () => ({ fleet: fleet.url, env }));
  onTestFinished(() => page.close());
  const asked = { cwd: page.root, home: page.home, fleet: fleet.url, env };
  return {
    fleet,
    page,
    asked,
    listed: async (run: string) => (await listRuns(asked, {})).runs.find(({ run_id }) => run_id === run),
    snapshot: async (run: string) => (await page.get(`/api/runs/${run}`)).body,
    start: async (file: string): Promise<string> => (await page.post("/api/runs", { file, inputs: {} })).body.run_id,
  };
}

describe.skipIf(!hasPostgres)("a run that waits for a worker", () => {
  it("is queued in every view of it, with why it waits, and is not resumed", async () => {
    const { page, asked, listed, snapshot, start } = await scene({ "note.yaml": NOTE });
    // Whoever starts it is answered as soon as it is placed.
    const run = await start("note.yaml");
    expect(await listed(run)).toMatchObject({
      status: "queued",
      resumable: false,
      waits_because: "no worker is there",
    });
    expect((await page.get("/api/runs?status=queued")).body.runs).toMatchObject([
      { run_id: run, status: "queued", resumable: false, waits_because: "no worker is there" },
    ]);
    expect(await showRun(asked, { run })).toMatchObject({
      status: "queued",
      workflow: "notes",
      file: "note.yaml",
      error: null,
      exit_code: null,
      warnings: [{ message: expect.stringContaining(NOBODY) }],
    });
    const explained = await explainRun(asked, { run });
    expect(explained).toMatchObject({
      run: { status: "queued", workflow: "notes", errors: [], headline: expect.stringContaining(NOBODY) },
      resume: null,
    });
    expect(explained.next.join(" ")).not.toContain("resume");
    expect(await snapshot(run)).toMatchObject({
      status: "queued",
      resumable: false,
      driver: null,
      banner: { status: "queued", headline: expect.stringContaining(NOBODY) },
    });
    const resumed = await page.post(`/api/runs/${run}/resume`, { seq: 0, inputs: {} });
    expect(resumed.body.message).toContain("is underway: a worker drives it, or will");
    expect((await page.post(`/api/runs/${run}/cancel`, { seq: 0 })).status).toBe(200);
    expect(await snapshot(run)).toMatchObject({ status: "cancelled" });
  });

  it("is not called crashed while it waits for its time", async () => {
    const { fleet, asked, listed, snapshot, start } = await scene({ "rest.yaml": REST });
    const worker = await fleet.worker({ SEGNO_HELD_WAIT_SECONDS: "1" });
    const run = await start("rest.yaml");
    const resting = "select 1 from segno.runs where left_because = 'waiting'";
    await until(async () => (await fleet.sql(resting)).length === 1);
    await worker.leave();
    expect(await listed(run)).toMatchObject({ status: "running" });
    const explained = await explainRun(asked, { run });
    expect(explained).toMatchObject({ run: { status: "running", errors: [] }, resume: null });
    expect(await snapshot(run)).toMatchObject({ status: "running", resumable: false });
  });

  it("is queued when its worker is gone, and waits for another", async () => {
    const { fleet, asked, listed, snapshot, start } = await scene({ "held.yaml": HELD });
    const worker = await fleet.workerProcess(QUICK);
    const run = await start("held.yaml");
    await until(async () => (await fleet.events(run)).some(({ type }) => type === "agent_started"));
    expect((await listed(run))?.status).toBe("running");
    expect((await listWorkers(asked)).queue).toEqual({ waiting: 0, delayed: 0, oldest_ms: null });
    await worker.kill();
    await until(async () => (await listWorkers(asked)).workers.length === 0);
    expect(await listed(run)).toMatchObject({ status: "queued", waits_because: "no worker is there" });
    expect((await listRuns(asked, { status: "queued" })).runs).toMatchObject([{ run_id: run }]);
    expect((await listRuns(asked, { status: "running" })).runs).toEqual([]);
    expect(await showRun(asked, { run })).toMatchObject({
      status: "queued",
      error: null,
      warnings: [{ message: expect.stringContaining(NOBODY) }],
    });
    expect(await snapshot(run)).toMatchObject({ status: "queued", resumable: false });
    const { queue } = await listWorkers(asked);
    expect(queue).toMatchObject({ waiting: 1, delayed: 0 });
    expect(queue.oldest_ms).toBeLessThan(3_600_000);
    expect((await checkFleet(asked)).find(({ name }) => name === "fleet.workers")?.message).toMatch(
      /^none is there, and 1 run waits, the oldest for \d+ s/,
    );
  });

  it("has waited until a worker took it, also when its wait was over before", async () => {
    const { fleet, start } = await scene({ "rest.yaml": REST });
    const worker = await fleet.worker({ SEGNO_HELD_WAIT_SECONDS: "1" });
    const run = await start("rest.yaml");
    const left = "select 1 from segno.runs where left_because = 'waiting'";
    await until(async () => (await fleet.sql(left)).length === 1);
    await worker.leave();
    // Two seconds longer than it was to wait.
    await fleet.later(3602);
    await fleet.worker();
    await until(async () => (await fleet.statusOf(run)) === "completed");
    const events = await fleet.events(run);
    const began = Date.parse(events.find(({ type }) => type === "wait_started")?.ts ?? "");
    const ended = events.find(({ type }) => type === "agent_completed");
    const seconds = (Date.parse(ended?.ts ?? "") - began) / 1000;
    expect(seconds).toBeGreaterThan(3602);
    expect(ended?.data).toMatchObject({ elapsed: expect.closeTo(seconds, 1) });
  });

  it("is queued again once its gate is answered, and who answers does not wait for a worker", async () => {
    const { fleet, page, asked, listed, snapshot, start } = await scene({ "gate.yaml": GATE });
    const worker = await fleet.worker();
    const run = await start("gate.yaml");
    await until(async () => (await fleet.statusOf(run)) === "paused");
    await worker.leave();
    const [gate] = (await page.get("/api/gates")).body.gates;
    const answered = await page.post(`/api/gates/${encodeURIComponent(gate.id)}`, { seq: gate.seq, value: "yes" });
    expect(answered.body).toMatchObject({ run_id: run, value: "yes", driven: "elsewhere" });
    expect(await listed(run)).toMatchObject({ status: "queued", resumable: false });
    expect(await showRun(asked, { run })).toMatchObject({ status: "queued", gate: null, error: null, errors: [] });
    expect(await snapshot(run)).toMatchObject({ status: "queued", resumable: false });
    expect((await explainRun(asked, { run })).run).toMatchObject({ status: "queued" });
    await fleet.worker();
    await until(async () => (await fleet.statusOf(run)) === "completed");
    expect(await snapshot(run)).toMatchObject({ status: "completed" });
  });

  it("has failed in every view of it when the worker that took it could not begin", async () => {
    const { fleet, page, asked, listed, snapshot } = await scene({});
    const store = await openPostgresStore(fleet.url, { home: page.home, sealKey: SEAL_KEY });
    onTestFinished(() => store.close());
    const [runId, file] = [newRunId(), join(page.root, "gone.yaml")];
    const request = { kind: "first", file, inputs: {}, cwd: page.root };
    await store.fleet.begin({ runId, workflow: "gone", file, durability: "process" }, { request });
    await fleet.worker();
    await until(async () => (await store.fleet.standing(runId))?.refused !== null);
    const why = expect.stringMatching(/^no worker could drive it: .*gone\.yaml/);
    expect(await listed(runId)).toMatchObject({ status: "failed" });
    expect(await showRun(asked, { run: runId })).toMatchObject({
      status: "failed",
      workflow: "gone",
      file: "gone.yaml",
      error: why,
      checkpoint: { resumable: false, resume: null },
    });
    const explained = await explainRun(asked, { run: runId });
    expect(explained).toMatchObject({
      run: { status: "failed", workflow: "gone", file: "gone.yaml", headline: why },
      resume: null,
    });
    expect(await snapshot(runId)).toMatchObject({
      status: "failed",
      resumable: false,
      banner: {
        status: "failed",
        headline: why,
        next: [{ text: "Check the path: gone.yaml cannot be read as a file." }],
      },
    });
    page.write("gone.yaml", NOTE);
    const resumed = await page.post(`/api/runs/${runId}/resume`, { seq: 0, inputs: {} });
    expect(resumed.body.message).toContain("nothing of it was done");
  });

  it("is as it was when its resume is taken back before a worker took it", async () => {
    const { fleet, page, listed, snapshot, start } = await scene({ "bad.yaml": BAD });
    const worker = await fleet.worker();
    const run = await start("bad.yaml");
    await until(async () => (await fleet.statusOf(run)) === "failed");
    await worker.leave();
    const { seq } = await snapshot(run);
    expect((await page.post(`/api/runs/${run}/resume`, { seq, inputs: {} })).status).toBe(200);
    expect(await listed(run)).toMatchObject({ status: "queued" });
    expect(await page.post(`/api/runs/${run}/cancel`, { seq })).toMatchObject({ status: 200 });
    expect(await listed(run)).toMatchObject({ status: "failed", resumable: true });
    expect((await fleet.segno(["cancel", run])).stderr).toContain("has failed already; there is nothing to stop");
  });

  it("is queued again once its letters are retried, and who asks for that does not wait for a worker", async () => {
    const api = await startApi({ isUp: false });
    const { fleet, page, listed, snapshot, start } = await scene({ "letter.yaml": letters(api.url) });
    const letter = async () => (await page.get("/api/letters?all=1")).body.letters[0];
    const first = await fleet.worker();
    const run = await start("letter.yaml");
    await until(async () => (await fleet.statusOf(run)) === "failed");
    await first.leave();
    const { id } = await letter();

    // Taken out of the queue, or never taken: nobody tries it then, and it can be retried again.
    expect((await page.post("/api/letters/retry", { ids: [id] })).body).toEqual({ letters: [id], runs: [run] });
    expect(await listed(run)).toMatchObject({ status: "queued", resumable: false });
    expect(await letter()).toMatchObject({ status: "retrying" });
    expect((await page.post("/api/letters/retry", { ids: [id] })).body.message).toContain("is being retried already");
    const { seq } = await snapshot(run);
    expect(await page.post(`/api/runs/${run}/cancel`, { seq })).toMatchObject({ status: 200 });
    expect(await letter()).toMatchObject({ status: "open" });

    api.isUp = true;
    expect((await page.post("/api/letters/retry", { ids: [id] })).status).toBe(200);
    await fleet.worker();
    await until(async () => (await fleet.statusOf(run)) === "completed");
    expect(await letter()).toMatchObject({ status: "resolved" });
    expect(api.served.get("/1")).toBe(1);
  });
});

describe.skipIf(!hasPostgres)("the page of a fleet", () => {
  it("lists who is there, since when, and what each drives; of runs elsewhere how many", async () => {
    const { fleet, page, asked, start } = await scene({ "held.yaml": HELD });
    expect((await page.get("/api/session")).body).toMatchObject({ fleet: true });
    const there = async () => (await page.get("/api/workers")).body;
    expect(await there()).toMatchObject({ fleet: true, workers: [], queue: { waiting: 0 } });
    const began = Date.now();
    await fleet.worker();
    fleet.write("elsewhere.yaml", HELD);
    const run = await start("held.yaml");
    const other = await fleet.json(["run", "elsewhere.yaml", "--detach"]);
    const drives = async () => (await there()).workers[0]?.runs.length + (await there()).workers[0]?.other_runs;
    await until(async () => (await drives()) === 2);
    const { workers } = await there();
    expect(workers).toMatchObject([{ draining: false, runs: [{ run_id: run, workflow: "held" }], other_runs: 1 }]);
    expect(Math.abs(Date.parse(workers[0].since) - began)).toBeLessThan(3_600_000);
    expect(JSON.stringify(workers)).not.toContain(other.run_id);
    await drainWorker(asked, { worker: workers[0].id });
    await until(async () => (await there()).workers[0]?.draining !== false);
  });
});
