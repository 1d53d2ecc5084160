// What the command line does, asked from code: each function once, on real runs in a real store.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import * as segno from "../../../index.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-functions-"));
const store = segno.openStore(join(folder, ".home"));
const here = { cwd: folder, env: { PATH: process.env.PATH }, store };
const { store: _, ...noStore } = here;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FILES = {
  "notes.yaml": `
workflow: { name: notes, entry_point: fetch, input: { who: { type: string, default: you } } }
agents:
  - { name: fetch, type: set, values: { title: "{{ workflow.input.who }}" }, routes: [{ to: write }] }
  - { name: write, type: set, value: "{{ fetch.output.titel }}" }
`,
  "ask.yaml": `
workflow: { name: ask, entry_point: may_we }
agents:
  - name: may_we
    type: human_gate
    prompt: Ship it?
    options:
      - { label: Yes, value: ship, route: done, prompt_for: why }
      - { label: No, value: wait, route: $end }
  - { name: done, type: set, value: "{{ may_we.output.additional_input.why }}" }
output: { why: "{{ done.output | default('-') }}" }
`,
  "push.yaml": `
workflow:
  name: push
  entry_point: send
  resilience: { retry: { max_retries: 0 }, circuit_breaker: { failure_threshold: 1 }, dead_letter: true }
agents:
  - { name: send, type: http, url: "http://127.0.0.1:9/nothing", timeout: 5 }
`,
  "routed.yaml": `
workflow: { name: routed, entry_point: check }
agents:
  - name: check
    type: script
    command: ./check.sh
    raises: [check.failed]
    routes: [{ to: $end }, { on_error: check.failed, to: mend }]
  - { name: mend, type: set, value: mended }
`,
} as const;

let failed: segno.Result;
beforeAll(async () => {
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  failed = await segno.run("notes.yaml", here);
});
const runId = (): string => failed.run_id ?? "";

describe("after a run", () => {
  it("explain tells what raised, and what a resume would run", async () => {
    const { run, chapters, resume, next } = await segno.explain(runId(), here);
    expect(run).toMatchObject({ run_id: runId(), status: "failed" });
    expect(chapters[0]?.troubles[0]?.raised[0]?.kind).toBe("internal.template_error");
    expect(resume?.runs.map(({ node_id }) => node_id)).toEqual(["write"]);
    expect(resume?.command).toBe(`resume("${runId()}")`);
    expect(next[0]).toContain(`resume("${runId()}")`);
    expect(await segno.explain("01NOSUCH", here)).toMatchObject({ success: false, run: null });
  });

  it("runs, show, events, replay and trace tell of it", async () => {
    const { runs } = await segno.runs({ ...here, workflow: "notes" });
    expect(runs.map(({ run_id }) => run_id)).toEqual([runId()]);
    expect(await segno.show(runId(), here)).toMatchObject({ status: "failed", run_id: runId() });
    const types: string[] = [];
    for await (const event of segno.events(runId(), here)) types.push(event.type);
    expect([types[0], types.at(-1)]).toEqual(["workflow_started", "workflow_failed"]);
    const beats: segno.Beat[] = [];
    for await (const beat of segno.replay(runId(), { ...here, speed: 100 })) beats.push(beat);
    expect(beats.map(({ event }) => event.type)).toEqual(types);
    const { spans, sent } = await segno.trace(runId(), here);
    expect(spans[0]?.children.map(({ name }) => name)).toEqual(["fetch", "write"]);
    expect(sent).toBeNull();
    await expect(segno.events("01NOSUCH", here).next()).rejects.toThrow("there is no run 01NOSUCH. `runs()` lists");
  });

  it("a gate is listed and answered, and the run goes on", async () => {
    const { run_id } = await segno.run("ask.yaml", here);
    const [gate] = (await segno.gates.list(here)).gates;
    expect(gate).toMatchObject({ run_id, node_id: "may_we" });
    const answer = { ...here, by: "bot", answers: { why: "tested" } };
    expect(await segno.gates.answer(run_id ?? "", "ship", answer)).toMatchObject({
      status: "completed",
      output: { why: "tested" },
    });
    const resolved: (segno.EventData["gate_resolved"] | undefined)[] = [];
    for await (const event of segno.events(run_id ?? "", here))
      if (event.type === "gate_resolved") resolved.push(event.data);
    expect(resolved).toMatchObject([
      { answered_by: expect.stringContaining("@"), answered_via: "library", claimed_by: "bot" },
    ]);
  });

  it("letters are listed, shown, retried and dropped; a breaker is listed and reset", async () => {
    const { warnings } = await segno.run("push.yaml", here);
    const { letters } = await segno.letters.list({ ...here, kind: "http.*" });
    const id = letters[0]?.id ?? "";
    expect(warnings[0]?.hint).toBe(`letters.retry({ ids: ["${id}"] })`);
    expect((await segno.letters.show(id, here)).letters[0]).toMatchObject({ workflow_file: "unchanged" });
    const [breaker] = (await segno.breakers.list(here)).breakers;
    expect(breaker?.status).toBe("open");
    expect((await segno.breakers.reset(breaker?.name ?? "", here)).breakers).toMatchObject([{ status: "closed" }]);
    const retried = await segno.letters.retry({ ids: [id] }, here);
    expect(retried).toMatchObject({ success: false, status: "failed", letters: [{ status: "open" }] });
    expect((await segno.letters.drop({ ids: [id] }, here)).letters).toMatchObject([{ status: "dropped" }]);
    expect((await segno.letters.list(here)).letters).toEqual([]);
    expect((await segno.letters.list({ ...here, all: true })).letters).toHaveLength(1);
  });

  it("cancel closes a run that waits, and prune removes old ones", async () => {
    const { run_id } = await segno.run("ask.yaml", here);
    expect(await segno.cancel(run_id ?? "", here)).toMatchObject({ status: "cancelled" });
    const other = segno.openStore(join(folder, ".other"));
    for (const _ of [1, 2, 3]) await segno.run("notes.yaml", { ...here, store: other });
    const few = { ...here, store: other, keep: 1 };
    // They failed, and can be resumed.
    expect(await segno.prune(few)).toMatchObject({ removed: [], kept: 3 });
    expect(await segno.prune({ ...few, resumable: true })).toMatchObject({
      removed: [expect.any(String), expect.any(String)],
      kept: 1,
      dry_run: false,
    });
  });

  it("resume takes an edited copy", async () => {
    writeFileSync(join(folder, "edited.yaml"), FILES["notes.yaml"].replace("titel", "title"));
    expect(await segno.resume(runId(), { ...here, file: "edited.yaml" })).toMatchObject({ status: "completed" });
  });
});

describe("before a run", () => {
  it("errors, graph, plan and schema tell of the file", async () => {
    const { unhandled, steps } = await segno.errors("routed.yaml", noStore);
    expect(steps[0]?.raises.find(({ kind }) => kind === "check.failed")?.handled_by).toMatchObject({ to: "mend" });
    expect(unhandled.map(({ kind }) => kind)).toContain("internal.command_not_found");
    expect((await segno.graph("routed.yaml", here)).graph).toContain("check.failed");
    expect((await segno.graph("notes.yaml", { ...here, format: "dot", run: runId() })).graph).toMatch(/^digraph/);
    const { plan = [] } = await segno.plan("notes.yaml", { ...noStore, inputs: { who: "me" } });
    expect(plan[0]).toMatchObject({ node_id: "fetch", fields: { values: { title: "me" } } });
    expect(await segno.schema("http")).toHaveProperty("properties.url");
    expect(await segno.schema("result")).toHaveProperty("properties.checkpoint");
    await expect(segno.schema("htpp" as "http")).rejects.toThrow("schema takes workflow, result or a type");
  });

  it("know own step types", async () => {
    const shout = segno.defineStep<{ text: string }>({
      type: "shout",
      description: "says it louder",
      schema: { type: "object", properties: { text: { type: "string" } } },
      execute: ({ text }) => segno.succeeded(text.toUpperCase()),
    });
    writeFileSync(
      join(folder, "own.yaml"),
      "workflow: { name: own, entry_point: a }\nagents: [{ name: a, type: shout, text: hi }]\n",
    );
    const own = await segno.loadWorkflow("own.yaml", { ...noStore, steps: [shout] });
    expect((await segno.errors(own)).success).toBe(true);
    expect((await segno.graph(own)).success).toBe(true);
    expect((await segno.plan(own)).plan).toMatchObject([{ type: "shout" }]);
    writeFileSync(
      join(folder, "own.yaml"),
      "workflow: { name: own, entry_point: a }\nagents: [{ name: a, type: shout, text: hi, raises: [shout.hoarse] }]\n",
    );
    const declaring = await segno.loadWorkflow("own.yaml", { ...noStore, steps: [shout] });
    // As which all arrives that it raises and does not declare.
    const { unhandled } = await segno.errors(declaring);
    expect(unhandled.map(({ kind }) => kind)).toEqual([
      "shout.hoarse",
      "internal.step_error",
      "internal.undeclared_kind",
    ]);
  });

  it("scenarios are written and run, and the machine is looked at", async () => {
    expect((await segno.init("fresh", { cwd: folder })).files).toHaveLength(3);
    const heard: string[] = [];
    const onScenario = ({ name }: segno.ScenarioReport): unknown => heard.push(name);
    const tested = await segno.test("fresh", { ...noStore, coverage: true, onScenario });
    expect(tested).toMatchObject({ success: true, passed: 1 });
    expect(heard).toHaveLength(1);
    expect(tested.coverage?.files[0]?.error_routes.total).toBeGreaterThan(0);
    const { generated } = await segno.generateScenarios("routed.yaml", { ...noStore, folder: "made" });
    expect(generated).toMatchObject([{ route: expect.stringContaining("check") }]);
    const { checks } = await segno.doctor({ ...here, file: "notes.yaml" });
    expect(checks.map(({ name }) => name)).toEqual(expect.arrayContaining(["node", "file"]));
  });

  it("validate takes a file that is only called, and warnings as errors", async () => {
    writeFileSync(
      join(folder, "child.yaml"),
      `
workflow: { name: child, entry_point: a }
agents:
  - { name: a, type: script, command: ./a.sh, routes: [{ to: $end }, { on_error: "*", propagate: true }] }
`,
    );
    const rules = async (options: segno.ValidateOptions): Promise<readonly (string | undefined)[]> => {
      const { errors, warnings } = await segno.validate("child.yaml", { ...noStore, ...options });
      return [...errors, ...warnings].map(({ rule }) => rule);
    };
    expect(await rules({})).toContain("propagate-at-root");
    expect(await rules({ asChild: true })).not.toContain("propagate-at-root");
    expect(await segno.validate("child.yaml", { ...noStore, strict: true })).toMatchObject({ success: false });
    await expect(segno.validate("child.yaml", { ...noStore, strict: "yes" as never })).rejects.toThrow("true or false");
  });
});

it("every function refuses an option that it does not have, before it does anything", async () => {
  const { breakers, gates, letters } = segno;
  const wrong = { ...here, strange: 1 } as never;
  const [file, run] = ["notes.yaml", "01NOSUCH"];
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    run: () => segno.run(file, wrong),
    resume: () => segno.resume(run, wrong),
    loadWorkflow: () => segno.loadWorkflow(file, wrong),
    validate: () => segno.validate(file, wrong),
    errors: () => segno.errors(file, wrong),
    graph: () => segno.graph(file, wrong),
    plan: () => segno.plan(file, wrong),
    test: () => segno.test(".", wrong),
    generateScenarios: () => segno.generateScenarios(file, wrong),
    record: () => segno.record(run, wrong),
    backtest: () => segno.backtest(file, wrong),
    runs: () => segno.runs(wrong),
    show: () => segno.show(run, wrong),
    events: () => segno.events(run, wrong)[Symbol.asyncIterator]().next(),
    replay: () => segno.replay(run, wrong)[Symbol.asyncIterator]().next(),
    cancel: () => segno.cancel(run, wrong),
    prune: () => segno.prune(wrong),
    explain: () => segno.explain(run, wrong),
    trace: () => segno.trace(run, wrong),
    repair: () => segno.repair(run, wrong),
    doctor: () => segno.doctor(wrong),
    init: () => segno.init("never-made", { strange: 1 } as never),
    "gates.list": () => gates.list(wrong),
    "gates.answer": () => gates.answer(run, "yes", wrong),
    "letters.list": () => letters.list(wrong),
    "letters.show": () => letters.show("L", wrong),
    "letters.retry": () => letters.retry({ run }, wrong),
    "letters.drop": () => letters.drop({ run }, wrong),
    "breakers.list": () => breakers.list(wrong),
    "breakers.reset": () => breakers.reset("b", wrong),
  };
  for (const [name, call] of Object.entries(calls)) {
    const problem = await call().catch((one: unknown) => one);
    expect(problem, name).toBeInstanceOf(TypeError);
    expect((problem as Error).message, name).toMatch(/^\S+ has no option `\w+`\./);
  }
});

describe("hints", () => {
  it("name functions, never commands", async () => {
    const unhandled = await segno.run("notes.yaml", here);
    const paused = await segno.run("ask.yaml", here);
    const answers = [
      unhandled,
      paused,
      await segno.run("push.yaml", here),
      await segno.run("notes.yaml", { ...here, inputs: { whom: "x" } }),
      await segno.run("gone.yaml", here),
      await segno.resume("01NOSUCH", here),
      await segno.show("01NOSUCH", here),
      await segno.cancel("01NOSUCH", here),
      await segno.letters.show("01NOSUCH", here),
      await segno.gates.answer("01NOSUCH", "x", here),
      await segno.explain(paused.run_id ?? "", here),
    ];
    expect(JSON.stringify(answers)).not.toMatch(/\bsegno [a-z]|(?<![\w-])--[a-z]/);
    expect(unhandled.checkpoint?.resume).toBe(`resume("${unhandled.run_id}")`);
    expect(paused.gate?.answer).toBe(`gates.answer("${paused.run_id}", VALUE)`);
  });
});

describe("listening", () => {
  it("hears each type with its own function, and knows its data", async () => {
    const heard: string[] = [];
    await segno.run("notes.yaml", {
      ...here,
      on: {
        agent_failed: ({ data }) => void heard.push(`${data.agent_name}: ${data.kind}`),
        workflow_failed: (event) => {
          expectTypeOf(event).toEqualTypeOf<segno.EventOf<"workflow_failed">>();
          heard.push(event.data.error_type);
        },
      },
    });
    expect(heard).toEqual(["write: internal.template_error", "UnhandledWorkflowError"]);
  });

  it("refuses what is no listener, and options that a call does not have", async () => {
    await expect(segno.run("notes.yaml", { ...here, on: { agent_failed: 3 } as never })).rejects.toThrow("a function");
    await expect(segno.explain(runId(), { ...here, form: 1 } as never)).rejects.toThrow("explain has no option `form`");
    await expect(segno.letters.retry({ id: "x" } as never)).rejects.toThrow("Did you mean `ids`?");
  });

  it("has the data that the registry says, for every type", () => {
    type Registry = import("../../../base/events/registry.ts").RunEvent;
    expectTypeOf<Registry>().toExtend<segno.RunEvent>();
    expectTypeOf<segno.RunEvent["type"]>().toEqualTypeOf<Registry["type"]>();
  });
});
