// What became of a step is said in many places: its panel, the graph, the story, the result. All of them say the same.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Served } from "../../../test/support/served.ts";
import type { RunEvent } from "../../base/events/registry.ts";
import { runWorkflow } from "../../services/runs/run.ts";
import { runEvents, showRun } from "../../services/runs/runs.ts";
import { drawGraph } from "../../services/workflows/graph.ts";
import { system } from "../../steps/process/here.ts";
import { openStore } from "../../storage/embedded/store.ts";
import { newRunId } from "../../storage/run-index.ts";

const STEPS = `
workflow: { name: steps, entry_point: s1 }
agents:
  - { name: s1, type: script, command: "true", routes: [{ to: s2 }] }
  - { name: s2, type: script, command: "true" }
`;
const WAITS = `
workflow: { name: waits, entry_point: s1 }
agents:
  - { name: s1, type: script, command: sleep, args: ["600"] }
`;
const raising = (kind: string): string =>
  `[-c, 'echo "{\\"kind\\":\\"${kind}\\",\\"message\\":\\"no\\"}" > "$CONDUCTOR_ERROR_OUT"; exit 1']`;
const HALF = `
workflow: { name: half, entry_point: a }
agents:
  - { name: a, type: script, command: sh, args: ${raising("k.one")}, raises: [k.one], routes: [{ to: $end }, { on_error: k.one, to: h }] }
  - { name: h, type: script, command: sh, args: ${raising("k.two")}, raises: [k.two] }
`;

let served: Served;
beforeAll(async () => {
  served = await Served.start({ "steps.yaml": STEPS, "waits.yaml": WAITS, "half.yaml": HALF, "later.yaml": HALF });
});
afterAll(() => served.close());

const step = async (run: string, name: string) => (await served.get(`/api/runs/${run}/steps/${name}`)).body;
const explained = async (run: string) => (await served.get(`/api/runs/${run}/explain`)).body;
const shown = async (run: string) => (await showRun(served.session, { run })).execution?.steps;
const drawn = async (file: string, run: string) =>
  (await drawGraph(served.session, { file, run, format: "svg" })).graph;

/** A run whose process went away while its first step ran: a second, as far as its journal says. */
async function cutOffRun(file: string): Promise<string> {
  const whole = await served.run(file);
  const runId = newRunId();
  const store = openStore(served.session.home, { host: "a-machine-that-is-gone" });
  const run = store.createRun({ runId, workflow: "steps", file: join(served.root, file), durability: "process" });
  for await (const event of runEvents(served.session, { run: whole })) {
    if (event.type === "agent_completed") {
      const ts = new Date(Date.parse(event.ts) + 1000).toISOString();
      const data = { agent_name: "s1", strategy: "drop_oldest", dropped: [] };
      run.append([{ ...event, type: "context_trimmed", ts, run_id: runId, data }]);
      break;
    }
    run.append([{ ...event, run_id: runId }]);
  }
  run.release();
  store.close();
  return runId;
}

describe("a step whose process went away while it ran", () => {
  it("was cut off, and took until the last that is known of it", async () => {
    const run = await cutOffRun("steps.yaml");
    const { visit, attempts } = await step(run, "s1");
    expect(visit).toMatchObject({ status: "cut_off" });
    expect(attempts).toMatchObject([{ status: "cut_off" }]);
    expect(attempts[0].took_ms).toBeGreaterThanOrEqual(1000);
    expect((await explained(run)).chapters[0].scenes[0]).toMatchObject({ status: "cut_off" });
    expect((await explained(run)).chapters[0].scenes[0].duration_ms).toBeGreaterThanOrEqual(1000);
    expect(await shown(run)).toMatchObject([{ status: "cancelled", cut_off: true }, { status: "not_executed" }]);
    expect((await shown(run))?.[0]?.duration_ms).toBeGreaterThanOrEqual(1000);
    expect(await drawn("steps.yaml", run)).toContain("s1: cut off");
  });
});

describe("a run whose process went away before anything had begun", () => {
  it("is not offered to be resumed, which would be refused, but to be started again", async () => {
    const runId = newRunId();
    const store = openStore(served.home, { host: "a-machine-that-is-gone" });
    const file = join(served.root, "steps.yaml");
    store.createRun({ runId, workflow: "steps", file, durability: "process" }).release();
    store.close();
    const { body } = await served.get(`/api/runs/${runId}`);
    expect(body).toMatchObject({ status: "crashed", resumable: false });
    expect(body.banner.next).toMatchObject([{ text: "Nothing of it was done. Start it again with: segno run" }]);
    const { errors, checkpoint } = await showRun(served.session, { run: runId });
    expect(checkpoint).toMatchObject({ resumable: false, resume: null });
    expect(errors[0]?.hint).toBe("Nothing of it was done. Start it again with: segno run");
    expect((await explained(runId)).resume).toBeNull();
  });
});

describe("a step that somebody stopped with its run", () => {
  it("is not said to have not run yet when it is planned again", async () => {
    const { body: started } = await served.post("/api/runs", { file: "waits.yaml" });
    const { run_id: run, seq } = started;
    await expect.poll(async () => (await step(run, "s1")).attempts[0]?.status).toBe("running");
    await served.post(`/api/runs/${run}/cancel`, { seq });
    await expect.poll(async () => (await served.get(`/api/runs/${run}`)).body.status).toBe("cancelled");
    expect((await explained(run)).resume.runs).toMatchObject([
      { node_id: "s1", why: "it was stopped before it was done" },
    ]);
  });
});

describe("a run that the command line of the server's own process drives", () => {
  it("has ended when the page hears that it is cancelled", async () => {
    const ctrlC = new AbortController();
    const interrupted = vi.spyOn(system, "interrupt").mockImplementation(() => ctrlC.abort());
    const driving = new Promise<string>((begun, failed) => {
      const on = ({ type, run_id }: RunEvent): unknown => type === "agent_started" && begun(run_id);
      const listeners = { on, signal: ctrlC.signal };
      runWorkflow(served.session, { file: "waits.yaml", inputs: {} }, listeners).catch(failed);
    });
    const run = await driving;
    const { body: before } = await served.get(`/api/runs/${run}`);
    const { body: acted } = await served.post(`/api/runs/${run}/cancel`, { seq: before.seq });
    const { body: after } = await served.get(`/api/runs/${run}`);
    expect(interrupted).toHaveBeenCalledExactlyOnceWith(process.pid);
    interrupted.mockRestore();
    expect(after).toMatchObject({ status: "cancelled", seq: acted.seq });
  });
});

describe("a step whose error was handed to one that failed", () => {
  it("has failed, and is not raised anew by a resume", async () => {
    const run = await served.run("half.yaml");
    expect(await step(run, "a")).toMatchObject({ visit: { status: "failed" }, attempts: [{ status: "failed" }] });
    expect((await step(run, "a")).attempts[0].lens).toMatchObject({ action: "to", to: "h", is_recovered: false });
    const { chapters, resume } = await explained(run);
    expect(chapters[0].scenes[0]).toMatchObject({ node_id: "a", status: "failed" });
    expect(chapters[0].troubles[0]).toMatchObject({ node_id: "a", ending: { type: "routed", to: "h" } });
    expect(resume).toMatchObject({ reused: ["a"], runs: [{ node_id: "h" }] });
    const { execution } = await showRun(served.session, { run });
    expect(execution?.steps).toMatchObject([{ status: "failed", kind: "k.one" }, { status: "failed" }]);
    expect(await drawn("half.yaml", run)).toContain("a: failed, handed to h");
  });

  it("is recovered once a resume brought that one to its end", async () => {
    const run = await served.run("later.yaml");
    served.write("later.yaml", HALF.replace(raising("k.two"), '[-c, "true"]'));
    const { body } = await served.get(`/api/runs/${run}`);
    await served.post(`/api/runs/${run}/resume`, { seq: body.seq });
    await expect.poll(async () => (await served.get(`/api/runs/${run}`)).body.status).toBe("completed");
    expect((await step(run, "a")).attempts[0].lens).toMatchObject({ to: "h", is_recovered: true });
  });
});
