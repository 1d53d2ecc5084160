// The client: one place for store, folder and own code; runs with an id from the start; answers in camelCase.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import {
  createSegno,
  NotStartedError,
  openStore,
  type RunEvent,
  run,
  runs,
  type Segno,
  type StartedRun,
  show,
} from "../../../index.ts";
import { answered } from "../client/answers.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-client-"));
const env = { PATH: process.env.PATH };
const home = join(folder, ".home");
let segno: Segno;

const FILES = {
  "notes.yaml": `
workflow: { name: notes, entry_point: fetch, input: { who: { type: string, default: you } } }
agents:
  - { name: fetch, type: set, values: { the_title: "{{ workflow.input.who }}" }, routes: [{ to: write_it }] }
  - { name: write_it, type: set, value: "{{ fetch.output.the_titel }}" }
`,
  "fine.yaml": `
workflow: { name: fine, entry_point: one, input: { who: { type: string } } }
agents: [{ name: one, type: set, values: { for_whom: "{{ workflow.input.who }}" } }]
output: { for_whom: "{{ one.output.for_whom }}" }
`,
  "ask.yaml": `
workflow: { name: ask, entry_point: may_we }
agents:
  - { name: may_we, type: human_gate, prompt: Ship it?, options: [{ label: Yes, value: ship, route: $end }] }
`,
  "slow.yaml": `
workflow: { name: slow, entry_point: one }
agents: [{ name: one, type: wait, duration: 1h }]
`,
} as const;

beforeAll(() => {
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  segno = createSegno({ store: home, cwd: folder, env });
});
afterAll(async () => {
  await segno.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("a run", () => {
  it("has its id when it is recorded, its events, and a result that is typed by its status", async () => {
    const started = await segno.start<{ who: string }, { for_whom: string }>("fine.yaml", { inputs: { who: "kim" } });
    expect((await segno.runs.get(started.id)).runId).toBe(started.id);
    const types: RunEvent["type"][] = [];
    for await (const event of started.events()) types.push(event.type);
    expect([types[0], types.at(-1)]).toEqual(["workflow_started", "workflow_completed"]);
    const result = await started.result();
    expect(result).toMatchObject({ success: true, status: "completed", output: { for_whom: "kim" }, error: null });
    if (result.status === "completed") expectTypeOf(result.output).toEqualTypeOf<{ for_whom: string }>();
  });

  it("can be stopped, and stays resumable", async () => {
    const started = await segno.start("slow.yaml");
    const { status, checkpoint } = await started.cancel();
    expect([status, checkpoint?.resumable, checkpoint?.resume]).toEqual([
      "cancelled",
      true,
      `segno.runs.resume("${started.id}")`,
    ]);
  });

  it("is stopped by its id, too", async () => {
    const started = await segno.start("slow.yaml");
    expect((await segno.runs.cancel(started.id)).status).toBe("cancelled");
    expect((await started.result()).status).toBe("cancelled");
  });

  it("is stopped by another client of the process, too", async () => {
    await using other = createSegno({ store: home, cwd: folder, env });
    const started = await segno.start("slow.yaml");
    expect((await other.runs.cancel(started.id)).status).toBe("cancelled");
    expect((await started.result()).status).toBe("cancelled");
  });

  it("is followed until the client that follows is closed", async () => {
    const started = await segno.start("slow.yaml");
    const other = createSegno({ store: home, cwd: folder, env });
    const events = other.runs.events(started.id, { follow: true });
    expect((await events.next()).value).toMatchObject({ type: "workflow_started" });
    await other.close();
    for await (const { type } of events) expect(type).not.toBe("run_cancelled");
    await started.cancel();
  });

  it("is an error with its kind when it failed, and what belongs to the user keeps its keys", async () => {
    const result = await segno.run("notes.yaml");
    expect(result.error).toMatchObject({ kind: "internal.template_error", nodeId: "write_it" });
    expect(result.checkpoint?.nodeActions).toEqual({ fetch: "default" });
    expect(result.error?.availableFields).toEqual(["the_title"]);
  });

  it("that cannot begin is no run: start rejects with its result, run gives it", async () => {
    const refused = await segno.start("fine.yaml").catch((problem: unknown) => problem);
    expect(refused).toBeInstanceOf(NotStartedError);
    expect((refused as NotStartedError).message).toContain("who");
    expect(await segno.run("nowhere.yaml")).toMatchObject({ status: "invalid", success: false, runId: null });
  });
});

describe("an answer", () => {
  it("is in camelCase, and as JSON what the command line prints", async () => {
    const here = { store: openStore(home), cwd: folder, env };
    const listed = await segno.runs.list({ limit: 2 });
    expect(listed.runs[0]?.runId).toBeTypeOf("string");
    expect(JSON.stringify(listed)).toBe(JSON.stringify(await runs({ ...here, limit: 2 })));
    const id = listed.runs[0]?.runId ?? "";
    const shown: unknown = JSON.parse(JSON.stringify(await segno.runs.get(id)));
    expect(Object.keys(shown as object)).toEqual(Object.keys(await show(id, here)));
  });

  it("has names and figures of runs", async () => {
    const { runId } = await segno.run("fine.yaml", { inputs: { who: "acme" }, name: "by a program" });
    const { runs: found } = await segno.runs.list({ inputs: { who: "acme" } });
    expect(found[0]).toMatchObject({ runId, name: "by a program" });
    const { workflows, withoutSteps } = await segno.runs.stats({ file: "fine.yaml", inputs: { who: "acme" } });
    expect({ workflows, withoutSteps }).toMatchObject({
      withoutSteps: 0,
      workflows: [
        { workflow: "fine", runs: 1, completed: 1, costUsd: { p50: 0 }, steps: [{ step: "one", costUsd: null }] },
      ],
    });
    await segno.run("notes.yaml");
    const [notes] = (await segno.runs.stats({ file: "notes.yaml" })).workflows;
    expect(Object.keys(notes?.kinds ?? {})).toEqual(["internal.template_error"]);
    await expect(segno.runs.stats({ sinc: "1d" } as never)).rejects.toThrow("segno.runs.stats has no option `sinc`");
  });

  it("keeps names of kinds, models and variants as they are", () => {
    const json = {
      errors: { "internal.step_error": { was_there: 1 } },
      differences: [{ passed: { small_model: 0.5 } }],
      by_model: { a_b: { cost_usd: 1 } },
    };
    expect({ ...answered(json) }).toEqual({
      errors: { "internal.step_error": { wasThere: 1 } },
      differences: [{ passed: { small_model: 0.5 } }],
      byModel: { a_b: { costUsd: 1 } },
    });
    expect({ ...answered({ errors: [{ node_id: "a" }], passed: true }) }).toEqual({
      errors: [{ nodeId: "a" }],
      passed: true,
    });
  });

  it("is in camelCase also where it comes bit by bit", async () => {
    const { runId } = await segno.run("fine.yaml", { inputs: { who: "kim" } });
    for await (const { event, waitMs, afterMs } of segno.runs.replay(runId ?? ""))
      expect([event.run_id, typeof waitMs, typeof afterMs]).toEqual([runId, "number", "number"]);
    const reports: string[] = [];
    await segno.init("fresh");
    await segno.workflows.test("fresh", {
      onScenario: ({ name, durationMs }) => void reports.push(`${name} ${typeof durationMs}`),
    });
    expect(reports).toEqual([expect.stringMatching(/ number$/)]);
  });

  it("of every namespace has the client's store and folder", async () => {
    const paused = await segno.run("ask.yaml");
    expect(paused).toMatchObject({ status: "paused", gate: { nodeId: "may_we" } });
    expect((await segno.gates.list()).gates.map(({ nodeId }) => nodeId)).toEqual(["may_we"]);
    expect((await segno.gates.answer(paused.runId ?? "", "ship")).success).toBe(true);
    expect((await segno.letters.list()).letters).toEqual([]);
    expect((await segno.breakers.list()).breakers).toEqual([]);
    expect((await segno.workflows.errors("notes.yaml")).unhandled[0]).toMatchObject({ nodeId: "fetch" });
    expect((await segno.workflows.validate("fine.yaml")).status).toBe("valid");
    expect((await segno.workflows.graph("fine.yaml")).graph).toContain("one");
    expect((await segno.workflows.plan("fine.yaml", { inputs: { who: "x" } })).plan?.[0]?.nodeId).toBe("one");
    expect((await segno.runs.explain(paused.runId ?? "")).run?.runId).toBe(paused.runId);
    expect((await segno.triggers.list()).success).toBe(false);
  });
});

describe("a wrong call", () => {
  it("is a TypeError with a sentence that names what was called", async () => {
    expect(() => createSegno({ stor: home } as never)).toThrow(
      new TypeError(
        "createSegno has no option `stor`. It has store, steps, providers, workflows, env, cwd, clock, ask.",
      ),
    );
    expect(() => createSegno({ store: 3 } as never)).toThrow(/`store` of createSegno is a folder.*number 3/);
    await expect(segno.runs.get(3 as never)).rejects.toThrow("segno.runs.get takes the id of a run");
    await expect(segno.runs.list({ limits: 3 } as never)).rejects.toThrow("segno.runs.list has no option `limits`");
    await expect(segno.runs.list({ status: "fialed" as "failed" })).rejects.toThrow(
      /`status` of segno.runs.list is one of queued,/,
    );
    await expect(segno.workflows.schema("htpp" as "http")).rejects.toThrow("segno.workflows.schema takes workflow");
    await expect(segno.run("fine.yaml", { inputs: 3 } as never)).rejects.toThrow("`inputs` of segno.run is an object");
    await expect(segno.start("slow.yaml", { on: 3 } as never)).rejects.toThrow("`on` of segno.start is a function");
    await expect(segno.start(7 as unknown as string)).rejects.toThrow("segno.start takes the path of a workflow file");
    await expect(run("fine.yaml", { inputs: 3 } as never)).rejects.toThrow("`inputs` of run is an object");
  });

  it("is one on a client that is closed, which stopped what it drove", async () => {
    let ended: Promise<unknown>;
    let going: StartedRun;
    {
      await using other = createSegno({ store: home, cwd: folder, env });
      going = await other.start("slow.yaml");
      ended = going.result();
      segno = segno ?? other;
      await other.close();
      await expect(going.events().next()).rejects.toThrow("run.events was called on a client that is closed");
      await expect(other.runs.list()).rejects.toThrow("segno.runs.list was called on a client that is closed");
    }
    expect(await ended).toMatchObject({ status: "cancelled" });
  });
});
