// What the command line can do to a run, the API can do: the same services, the same results.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Served } from "../../../test/support/served.ts";
import { spansOfRun } from "../../features/telemetry/trace/index.ts";
import { runEvents } from "../../services/runs/runs.ts";
import { personHere } from "../../services/session/people.ts";
import { journalPath } from "../../storage/embedded/journal.ts";
import { openFile } from "../../storage/sqlite/open.ts";

const LOSES = `
workflow: { name: loses, entry_point: all, resilience: { dead_letter: true, retry: { max_retries: 0, retryable: ["*"] } }, input: { items: { type: array, default: [0, 3, 4] } } }
for_each:
  - name: all
    type: for_each
    source: workflow.input.items
    as: item
    failure_mode: continue_on_error
    agent: { name: one, type: script, command: node, args: ["-e", "process.exit({{ item }})"], raises: [io.gone] }
`;
const LOOPS = `
workflow: { name: loops, entry_point: a, limits: { max_iterations: 50 } }
agents:
  - { name: a, type: set, value: 1, routes: [{ to: b }] }
  - { name: b, type: set, value: 1, routes: [{ to: a }] }
`;
const FAILS = `
workflow: { name: fails, entry_point: a }
agents:
  - { name: a, type: set, value: "{{ 1 / 0 }}" }
`;
const MENDED = FAILS.replace("1 / 0", "1 / 1");
const GUARDED = `
workflow: { name: guarded, entry_point: gate }
agents:
  - { name: gate, type: human_gate, prompt: Ship?, approvers: [alex@box], options: [{ label: Yes, value: "yes", route: $end }] }
`;

let served: Served;
beforeAll(async () => {
  served = await Served.start({
    "loses.yaml": LOSES,
    "loops.yaml": LOOPS,
    "fails.yaml": FAILS,
    "mended.yaml": MENDED,
    "guarded.yaml": GUARDED,
  });
});
afterAll(() => served.close());

const ended = async (run: string): Promise<{ status: string; seq: number; banner: { headline: string | null } }> => {
  await expect.poll(async () => (await served.get(`/api/runs/${run}`)).body.status).not.toBe("running");
  return (await served.get(`/api/runs/${run}`)).body;
};
const firstEvent = async (run: string): Promise<Record<string, unknown>> => {
  for await (const { data } of runEvents(served.session, { run })) return data as Record<string, unknown>;
  throw new Error("the run has no event");
};

describe("letters", () => {
  it("are dropped by id and by filter, and whoever is late is told", async () => {
    const run = await served.run("loses.yaml");
    const { letters } = (await served.get(`/api/letters?run=${run}`)).body;
    expect(letters).toHaveLength(2);
    const { status, body } = await served.post("/api/letters/drop", { ids: [letters[0].id] });
    expect({ status, dropped: body.letters }).toMatchObject({
      status: 200,
      dropped: [{ id: letters[0].id, status: "dropped", acts: [{ what: "dropped", by: personHere() }] }],
    });
    const [{ at }] = body.letters[0].acts;
    expect((await served.get(`/api/letters/${letters[0].id}`)).body.acts).toEqual(body.letters[0].acts);
    for (const act of ["drop", "retry"])
      expect(await served.post(`/api/letters/${act}`, { ids: [letters[0].id] })).toMatchObject({
        status: 409,
        body: { first: { what: "dropped", by: personHere(), at } },
      });
    expect((await served.post("/api/letters/drop", { filter: { run }, count: 2 })).status).toBe(409);
    // What fails again is the same letter, and still says who tried it.
    expect((await served.post("/api/letters/retry", { ids: [letters[1].id] })).status).toBe(200);
    await expect
      .poll(async () => (await served.get(`/api/letters/${letters[1].id}`)).body)
      .toMatchObject({ status: "open", count: 2, acts: [{ what: "retried", by: personHere() }] });
    await ended(run);
    expect((await served.post("/api/letters/drop", { filter: { run }, count: 1 })).status).toBe(200);
    expect((await served.get(`/api/letters?run=${run}`)).body.letters).toEqual([]);
  });
});

describe("a start", () => {
  it("takes how many steps may run", async () => {
    const { body } = await served.post("/api/runs", { file: "loops.yaml", max_iterations: 4 });
    const { status, banner } = await ended(body.run_id);
    expect(status).toBe("failed");
    expect(banner.headline).toContain("4");
  });

  it("takes a provider and what the run survives, and refuses those that there are not", async () => {
    const { body } = await served.post("/api/runs", {
      file: "mended.yaml",
      provider: "anthropic",
      durability: "power",
      priority: "high",
    });
    await ended(body.run_id);
    expect(await firstEvent(body.run_id)).toMatchObject({ provider: "anthropic" });
    const { status, body: refused } = await served.post("/api/runs", { file: "mended.yaml", provider: "nobody" });
    expect({ status, message: refused.message }).toEqual({
      status: 400,
      message: expect.stringContaining("there is no provider nobody"),
    });
    expect((await served.post("/api/runs", { file: "mended.yaml", durability: "luck" })).status).toBe(400);
    expect((await served.post("/api/runs", { file: "mended.yaml", priority: "urgent" })).status).toBe(400);
  });
});

describe("a resume", () => {
  it("takes an edited copy below the root, and no other", async () => {
    const run = await served.run("fails.yaml");
    const { seq } = await ended(run);
    const asked = (file: string) => served.post(`/api/runs/${run}/resume`, { seq, file });
    expect((await asked("../elsewhere.yaml")).status).toBeGreaterThanOrEqual(400);
    expect((await asked("mended.yaml")).status).toBe(200);
    expect((await ended(run)).status).toBe("completed");
  });

  it("takes a run over from a process elsewhere only when it is told to", async () => {
    const run = await served.run("fails.yaml");
    const { seq } = await ended(run);
    const journal = openFile(journalPath(join(served.home, "runs", run)), { busyMs: 1000 });
    journal.exec(`INSERT INTO lease VALUES (1, 'elsewhere', 1, 's', ${Date.now()}, ${Date.now()}, 't')`);
    journal.close();
    expect((await served.post(`/api/runs/${run}/resume`, { seq })).status).toBe(409);
    const { status } = await served.post(`/api/runs/${run}/resume`, { seq, take_over: true, provider: "openai" });
    expect(status).toBe(200);
    await ended(run);
    // Somebody took it over meanwhile: that is not undone.
    expect((await served.post(`/api/runs/${run}/resume`, { seq, take_over: true })).status).toBe(409);
  });

  it("with another provider does not go past a gate for certain people", async () => {
    const run = await served.run("guarded.yaml");
    const { seq } = await ended(run);
    const { status, body } = await served.post(`/api/runs/${run}/resume`, { seq, provider: "anthropic" });
    expect({ status, message: body.message }).toEqual({
      status: 400,
      message: expect.stringContaining("agents of another provider"),
    });
  });
});

describe("the trace of a run", () => {
  it("is what segno trace prints, and is sent nowhere", async () => {
    const run = await served.run("fails.yaml");
    const { status, body } = await served.get(`/api/runs/${run}/trace`);
    expect(status).toBe(200);
    const { run_id, trace_id, spans } = await spansOfRun(served.session, { run });
    expect(body).toEqual(JSON.parse(JSON.stringify({ run_id, trace_id, spans })));
    expect(spans[0]).toMatchObject({
      status: "error",
      children: [expect.objectContaining({ name: expect.any(String) })],
    });
  });
});
