import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { resumeRun } from "../runs/resume.ts";
import { runWorkflow } from "../runs/run.ts";
import { runEvents } from "../runs/runs.ts";
import { explainRun } from "./index.ts";
import type { VisitScene } from "./story.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "segno-explain-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const env = { PATH: process.env.PATH, HOME: "/nonexistent" };
const session = () => ({ cwd, env, home: join(cwd, "home") });
const write = (name: string, text: string): void => writeFileSync(join(cwd, name), text);
const run = async (file: string): Promise<string> => (await runWorkflow(session(), { file, inputs: {} })).run_id ?? "";
const explain = (runId: string) => explainRun(session(), { run: runId });

/** A script that raises a kind. */
const raising = (kind: string, details = "{}"): string =>
  JSON.stringify([
    "-c",
    `echo "it said no" >&2; printf '{"kind":"${kind}","message":"not now","details":${details}}' > $CONDUCTOR_ERROR_OUT`,
  ]);

const UPLOAD = `
workflow:
  name: ship
  entry_point: fetch
  error_routes: [{ on_error: "external.*", halt: no }]
agents:
  - { name: fetch, type: script, command: sh, args: [-c, "echo ran >> log; echo 1"], routes: [{ to: upload }] }
  - name: upload
    type: script
    command: sh
    args: ${raising("registry.busy", '{"queue":7}')}
    raises: [registry.busy, registry.refused]
    routes:
      - to: $end
      - { on_error: registry.refused, to: fetch }
      - { on_error: registry.busy, when: "error.details.queue > 10", to: fetch }
      - on_error: registry.busy
        retry: { max: 2, initial_seconds: 0 }
`;

describe("the story of a run", () => {
  it("says of each route that was read why it was not taken, with its line", async () => {
    write("ship.yaml", UPLOAD);
    const { run: explained, chapters } = await explain(await run("ship.yaml"));
    const [trouble] = chapters[0]?.troubles ?? [];
    expect(explained).toMatchObject({ status: "failed", exit_code: 3, workflow: "ship", drives: 1 });
    expect(trouble?.routes.map(({ line, taken, why }) => [line, taken, why])).toEqual([
      [15, false, "it is for registry.refused"],
      [16, false, "its condition was false (error.details.queue is 7)"],
      [17, false, "its retries are used up"],
      [5, false, "it is for external.*"],
    ]);
    expect(trouble).toMatchObject({
      node_id: "upload",
      location: { file: "ship.yaml", line: 8 },
      raised: [{ kind: "registry.busy", attempts: [1, 2, 3], details: { queue: 7 } }],
      shell: { stderr: "it said no" },
      ending: { type: "unhandled" },
    });
    expect(trouble?.retries).toHaveLength(2);
  });

  it("finds out what a resume would do without doing any of it", async () => {
    write("ship.yaml", UPLOAD);
    const runId = await run("ship.yaml");
    const count = async (): Promise<number> => {
      let events = 0;
      for await (const _ of runEvents(session(), { run: runId })) events++;
      return events;
    };
    const before = await count();
    expect((await explain(runId)).resume).toMatchObject({
      changes: [],
      reused: ["fetch"],
      runs: [{ node_id: "upload", why: "it had failed" }],
    });
    write("ship.yaml", UPLOAD.replace("echo 1", "echo 2").replace("queue > 10", "queue > 5"));
    expect((await explain(runId)).resume).toMatchObject({
      changes: [
        { node_id: "fetch", what: "changed" },
        { node_id: "upload", what: "routes" },
      ],
      reused: [],
      runs: [
        { node_id: "fetch", why: "its definition has changed" },
        { node_id: "upload", why: "it had failed" },
      ],
    });
    write("ship.yaml", UPLOAD.replace("to: upload", "to: nowhere"));
    const refused = await explain(runId);
    expect(refused.resume?.refused).toMatchObject([{ rule: "unknown-step" }]);
    expect(refused.next[0]).toMatch(/Correct the file first/);
    expect(await count()).toBe(before);
    expect(readFileSync(join(cwd, "log"), "utf8")).toBe("ran\n");
  });

  it.each([
    [1, 2],
    [4, 2],
    [4, 1],
  ])("counts members that are sub-workflows, %d at a time, by what would run in them: s%d", async (width, failing) => {
    write(
      "child.yaml",
      `workflow: { name: child, entry_point: s1, input: { n: { type: number } } }
agents:
  - { name: s1, type: script, command: sh, args: [-c, "test {{ workflow.input.n }} != ${failing === 1 ? 1 : 0}"], raises: [app.no], routes: [{ to: s2 }] }
  - { name: s2, type: script, command: sh, args: [-c, "test {{ workflow.input.n }} != ${failing === 2 ? 2 : 0}"], raises: [app.no], routes: [{ to: $end }] }
`,
    );
    write(
      "fan.yaml",
      `workflow: { name: fan, entry_point: list }
agents:
  - { name: list, type: set, value: "{{ [1, 2, 3, 4] }}", routes: [{ to: fan }] }
for_each:
  - name: fan
    type: for_each
    source: list.output
    as: item
    max_concurrent: ${width}
    failure_mode: all_or_nothing
    agent: { name: one, type: workflow, workflow: child.yaml, input_mapping: { n: "{{ item }}" } }
`,
    );
    expect((await explain(await run("fan.yaml"))).resume?.runs).toMatchObject([{ node_id: "fan", members: 1 }]);
  });

  const sh = (name: string, to: string, command: string, more = ""): string =>
    `  - { name: ${name}, type: script, command: sh, args: [-c, '${command}'], raises: [app.no], routes: [{ to: ${to} }]${more} }\n`;
  const line = (first: string, more = ""): string =>
    `workflow: { name: line, entry_point: prep${more} }\nagents:\n${sh("prep", "free", first)}${sh("free", "reader", "echo free")}${sh("reader", "last", "echo {{ prep.output.stdout }}")}${sh("last", "$end", "exit 1")}`;

  it("tells what is reused behind a step that runs again, and what only if that comes out the same", async () => {
    write("line.yaml", line("echo one"));
    const runId = await run("line.yaml");
    write("line.yaml", line("echo two"));
    expect((await explain(runId)).resume).toMatchObject({
      reused: ["free"],
      runs: [{ node_id: "prep" }, { node_id: "last" }],
      depends: ["reader"],
    });
  });

  it("does so in sub-workflows too", async () => {
    write(
      "top.yaml",
      "workflow: { name: top, entry_point: call }\nagents: [{ name: call, type: workflow, workflow: line.yaml }]\n",
    );
    write("line.yaml", line("echo one"));
    const runId = await run("top.yaml");
    write("line.yaml", line("echo two"));
    expect((await explain(runId)).resume).toMatchObject({
      reused: ["call/free"],
      runs: [{ node_id: "prep" }, { node_id: "last" }],
      depends: ["call/reader"],
    });
  });

  it("says which variables a step names when their values have changed, and not that it was edited", async () => {
    const named = `, env: { A: "\${REGION}" }`;
    write(
      "env.yaml",
      `workflow: { name: e, entry_point: work }\nagents:\n${sh("work", "last", "echo ok", named)}${sh("last", "$end", "exit 1")}`,
    );
    const inRegion = (REGION: string) => ({ ...session(), env: { ...env, REGION } });
    const { run_id } = await runWorkflow(inRegion("north-1"), { file: "env.yaml", inputs: {} });
    const elsewhere = { ...inRegion("south-2"), run: run_id ?? "" };
    const why = "the environment that it names has changed (REGION)";
    const answer = await explainRun(elsewhere, elsewhere);
    expect(answer.resume).toMatchObject({ changes: [], runs: [{ node_id: "work", why }, { node_id: "last" }] });
    expect(JSON.stringify(answer)).not.toMatch(/north-1|south-2/);
    await resumeRun(elsewhere, { target: run_id ?? "", inputs: {} });
    expect((await explainRun(elsewhere, elsewhere)).chapters[1]?.scenes[0]).toMatchObject({ node_id: "work", why });
  });

  it("names the file and the fields that were edited outside of the steps", async () => {
    write("line.yaml", line("echo one"));
    const runId = await run("line.yaml");
    write("line.yaml", line("echo one", ", description: new, limits: { max_iterations: 30 }"));
    expect((await explain(runId)).resume?.changes).toEqual([
      { file: "line.yaml", node_id: null, what: "changed", fields: ["workflow.description", "workflow.limits"] },
    ]);
  });

  it("says that a resume would stop at a time limit that is used up, until it is raised", async () => {
    const limited = (seconds: number) => `
workflow: { name: t, entry_point: a, limits: { timeout_seconds: ${seconds} } }
agents:
  - { name: a, type: set, value: 1, routes: [{ to: b }] }
  - { name: b, type: script, command: sleep, args: ["60"] }
`;
    write("t.yaml", limited(0.3));
    const runId = await run("t.yaml");
    const used = await explain(runId);
    expect(used.resume?.stops).toEqual({ limit: "timeout_seconds", allowed: 0.3, node_id: null });
    expect(used.next).toEqual([expect.stringMatching(/^Raise `limits.timeout_seconds`/)]);
    // A resume that stops at once leaves what is known of the run as it is.
    const stopped = await resumeRun(session(), { target: runId, inputs: {} });
    expect(stopped.checkpoint?.completed_nodes).toEqual(["a"]);
    expect((await explain(runId)).run?.not_executed).toEqual(["b"]);
    write("t.yaml", limited(90));
    const raised = await explain(runId);
    expect(raised.resume).toMatchObject({ reused: ["a"], runs: [{ node_id: "b" }] });
    expect(raised.resume).not.toHaveProperty("stops");
    expect(raised.next).toEqual([`The limit has been raised. To go on: segno resume ${runId}`]);
  });

  it("has a chapter for each drive, and says what was reused and why the rest ran again", async () => {
    write("ship.yaml", UPLOAD);
    const runId = await run("ship.yaml");
    write("ship.yaml", UPLOAD.replace("not now", "never"));
    await resumeRun(session(), { target: runId, inputs: {} });
    const answer = await explain(runId);
    const [first, second] = answer.chapters;
    const worked = first?.scenes[0] as VisitScene | undefined;
    expect(second).toMatchObject({ drive: 2, after: "failed", file_changed: true });
    expect(second?.scenes).toMatchObject([
      // As long as the attempt that did the work.
      { node_id: "fetch", status: "reused", duration_ms: worked?.duration_ms },
      { node_id: "upload", why: "it had failed, and has been changed since" },
    ]);
    expect(worked?.duration_ms).toBeGreaterThan(0);
  });

  it("follows an error from a sub-workflow upwards, and tells it in full once", async () => {
    write(
      "child.yaml",
      `workflow: { name: child, entry_point: inner }\nagents:\n  - { name: inner, type: script, command: sh, args: ${raising("ext.gone")}, raises: [ext.gone], routes: [{ to: $end }] }\n`,
    );
    write(
      "parent.yaml",
      "workflow: { name: parent, entry_point: call }\nagents:\n  - { name: call, type: workflow, workflow: child.yaml, routes: [{ to: $end }, { on_error: ext.gone, to: mend }] }\n  - { name: mend, type: set, value: ok }\n",
    );
    const answer = await explain(await run("parent.yaml"));
    expect(answer.chapters[0]?.troubles).toMatchObject([
      { node_id: "inner", path: ["call"], carried: false, ending: { type: "went_up" } },
      { node_id: "call", path: [], carried: true, ending: { type: "recovered", by: "mend" } },
    ]);
    expect(answer).toMatchObject({ resume: null, next: ["Nothing needs to be done."] });
  });

  it("counts a group's items and tells the same trouble of many once", async () => {
    write(
      "each.yaml",
      `workflow: { name: each, entry_point: list }
agents:
  - { name: list, type: set, value: "{{ [1, 2, 3, 4] }}", routes: [{ to: build }] }
for_each:
  - name: build
    type: for_each
    source: list.output
    as: item
    failure_mode: continue_on_error
    agent:
      name: one
      type: script
      command: sh
      args: [-c, "[ {{ item }} -lt 3 ] || printf '{\\"kind\\":\\"b.x\\",\\"message\\":\\"no\\"}' > $CONDUCTOR_ERROR_OUT"]
      raises: [b.x]
`,
    );
    const answer = await explain(await run("each.yaml"));
    expect(answer.chapters[0]?.scenes[1]).toMatchObject({ members: { count: 4, completed: 2, failed: 2 } });
    expect(answer.chapters[0]?.troubles).toMatchObject([{ alike: [expect.any(String)], ending: { went_on: true } }]);
    expect(answer.next).toEqual([expect.stringMatching(/: segno resume \w+ --failed-items$/)]);
  });

  it("tells a retry after the run's end from the attempts of the run", async () => {
    write(
      "each.yaml",
      `workflow: { name: e, entry_point: each, input: { xs: { type: array, default: [1, 2] } } }
agents:
  - { name: stop, type: terminate, status: failed, reason: gave up }
for_each:
  - name: each
    type: for_each
    source: workflow.input.xs
    as: x
    failure_mode: continue_on_error
    agent:
      name: one
      type: script
      command: sh
      args: [-c, "[ -e up ] || [ {{ x }} = 1 ] || printf '{\\"kind\\":\\"x.y\\",\\"message\\":\\"no\\"}' > $SEGNO_ERROR_OUT"]
      raises: [x.y]
    routes: [{ to: stop }]
`,
    );
    const runId = await run("each.yaml");
    expect((await explain(runId)).chapters[0]?.troubles[0]?.ending).toMatchObject({ type: "to_group" });
    write("up", "");
    await resumeRun(session(), { target: runId, inputs: {}, rerun: { failedItems: true } });
    const { chapters } = await explain(runId);
    expect(chapters[0]?.troubles).toMatchObject([
      { raised: [{ attempts: [1] }], ending: { type: "succeeded", attempt: 1, after_end: true } },
    ]);
  });

  it("says who waits for an answer, and how to give it", async () => {
    write(
      "gate.yaml",
      "workflow: { name: g, entry_point: ok }\nagents:\n  - { name: ok, type: human_gate, prompt: Go?, options: [{ value: yes, route: $end }] }\n",
    );
    const { resume, next, run: explained } = await explain(await run("gate.yaml"));
    expect(explained?.status).toBe("paused");
    expect(resume).toMatchObject({ asks: "ok", runs: [] });
    expect(next[0]).toMatch(/^Answer ok: segno gate answer/);
  });

  it("says that a resume asks also where the question is inside a group", async () => {
    const gate = "{ name: ok, type: human_gate, prompt: Go?, options: [{ value: yes, route: $end }] }";
    write("child.yaml", `workflow: { name: child, entry_point: ok }\nagents: [${gate}]\n`);
    for (const agent of [gate, "{ name: call, type: workflow, workflow: child.yaml }"]) {
      write(
        "each.yaml",
        `workflow: { name: e, entry_point: each, input: { xs: { type: array, default: [1, 2] } } }\nfor_each:\n  - { name: each, type: for_each, source: workflow.input.xs, as: x, agent: ${agent} }\n`,
      );
      const { resume } = await explain(await run("each.yaml"));
      expect(resume).toMatchObject({ asks: "ok" });
    }
  });

  it("does not count a member whose failure stands among those that run", async () => {
    write(
      "both.yaml",
      `workflow: { name: b, entry_point: both }
agents:
  - { name: bad, type: script, command: sh, args: ${raising("b.x")}, raises: [b.x] }
  - { name: slow, type: script, command: sleep, args: ["60"] }
parallel:
  - { name: both, agents: [bad, slow], failure_mode: continue_on_error }
`,
    );
    const stop = new AbortController();
    const { run_id } = await runWorkflow(
      session(),
      { file: "both.yaml", inputs: {} },
      { signal: stop.signal, on: ({ type }) => void (type === "parallel_agent_failed" && stop.abort()) },
    );
    const { resume, chapters } = await explain(run_id ?? "");
    expect(resume?.runs).toMatchObject([{ node_id: "both", members: 1 }]);
    // The group has not gone on without it.
    expect(chapters[0]?.troubles).toMatchObject([{ node_id: "bad", ending: { type: "open" } }]);
  });

  it("hides secrets, wherever they were said", async () => {
    const key = "abcdef-123456-secret";
    write(
      "s.yaml",
      "workflow: { name: s, entry_point: a }\nagents:\n  - { name: a, type: script, command: sh, args: [-c, 'echo $MY_TOKEN >&2; exit 3'], raises: [x.y], routes: [{ to: $end }] }\n",
    );
    const all = { ...session(), env: { ...env, MY_TOKEN: key } };
    const { run_id } = await runWorkflow(all, { file: "s.yaml", inputs: {} });
    const answer = await explainRun(all, { run: run_id ?? "" });
    expect(JSON.stringify(answer)).not.toContain(key);
    expect(JSON.stringify(answer)).toContain("<redacted>");
  });

  it("refuses a run that is not there", async () => {
    expect(await explain("01XYZ")).toMatchObject({ success: false, exit_code: 2, run: null, chapters: [] });
  });
});
