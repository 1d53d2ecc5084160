// Whoever sets up a drive of a run sees the same: its file, its environment, its scenario, what was exported.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Result } from "../../base/results/result.ts";
import { LIBRARY_USER } from "../../frontends/library/reader.ts";
import { explainRun } from "../explain/index.ts";
import type { DriveListeners, RunRequest } from "../request.ts";
import { cancelRun } from "../runs/cancel.ts";
import { resumeRun } from "../runs/resume.ts";
import { runWorkflow } from "../runs/run.ts";
import type { Session } from "../session/session.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "segno-drive-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const session = () => ({ cwd, env: { PATH: process.env.PATH }, home: join(cwd, "home") });
const write = (name: string, text: string): void => writeFileSync(join(cwd, name), text);
const lines = (name: string): number => readFileSync(join(cwd, name), "utf8").split("\n").length - 1;
const run = (more: Partial<RunRequest & DriveListeners & Session> = {}): Promise<Result> =>
  runWorkflow({ ...session(), ...more }, { file: "main.yaml", inputs: {}, ...more }, more);
const resume = (target: string, file?: string): Promise<Result> =>
  resumeRun(session(), { target, inputs: {}, ...(file === undefined ? {} : { file }) });
const explain = (target: string) => explainRun(session(), { run: target });

/** A script that leaves a mark and raises `a.kind`. */
const failing = (name: string): string =>
  `{ name: ${name}, type: script, command: sh, args: [-c, 'echo x >> ${name}; echo "{\\"kind\\":\\"a.kind\\",\\"message\\":\\"no\\"}" > "$CONDUCTOR_ERROR_OUT"'], raises: [a.kind], routes: [{ to: $end }] }`;
const passing = (name: string, to: string): string =>
  `{ name: ${name}, type: script, command: sh, args: [-c, 'echo x >> ${name}'], routes: [{ to: ${to} }] }`;

const SCRIPTED = `
workflow: { name: w, entry_point: a }
agents:
  - { name: a, type: set, value: "\${TOOL}", routes: [{ to: b }] }
  - { name: b, type: script, command: build, routes: [{ to: c }] }
  - { name: c, type: set, value: "\${TOOL}" }
output: { first: "{{ a.output }}", last: "{{ c.output }}" }
`;

test("a resumed run of a scenario keeps the scenario's environment, and its plan is made with it", async () => {
  write("main.yaml", SCRIPTED);
  const scenario = (first: string): string => `
workflow: main.yaml
env: { TOOL: hammer }
cli_scripts: [{ step: b, ${first} }]
`;
  write("s.yaml", scenario("error: { kind: b.bad, message: m }"));
  const { run_id } = await run({ scenario: "s.yaml" });
  write("s.yaml", scenario("stdout: ok"));
  const { resume: plan } = await explain(run_id ?? "");
  expect(plan).toMatchObject({ refused: [], reused: ["a"], runs: [{ node_id: "b" }] });
  expect(await resume(run_id ?? "")).toMatchObject({
    status: "completed",
    output: { first: "hammer", last: "hammer" },
  });
});

test("explain tells and plans with the file that the last drive was driven with", async () => {
  write("main.yaml", `workflow: { name: w, entry_point: a }\nagents:\n  - ${passing("a", "b")}\n  - ${failing("b")}\n`);
  const { run_id } = await run();
  write(
    "other.yaml",
    `workflow: { name: w, entry_point: a }\nagents:\n  - ${passing("a", "c")}\n  - ${failing("c")}\n`,
  );
  await resume(run_id ?? "", "other.yaml");
  const { resume: plan, chapters } = await explain(run_id ?? "");
  expect(plan).toMatchObject({ refused: [], changes: [], runs: [{ node_id: "c" }] });
  expect(chapters.map(({ troubles }) => troubles[0]?.location?.file)).toEqual(["main.yaml", "other.yaml"]);
});

test("whoever asked reads in their own words how to go on", async () => {
  write("main.yaml", `workflow: { name: w, entry_point: a }\nagents:\n  - ${failing("a")}\n`);
  const failed = await run({ reader: LIBRARY_USER });
  const again = await resumeRun({ ...session(), reader: LIBRARY_USER }, { target: failed.run_id ?? "", inputs: {} });
  const unknown = await cancelRun({ ...session(), reader: LIBRARY_USER }, { run: "01NO" });
  for (const result of [failed, again, unknown]) expect(JSON.stringify(result)).not.toContain("segno ");
  expect(again.checkpoint?.resume).toBe(`resume("${failed.run_id}")`);
  expect(unknown.errors[0]?.hint).toContain("`runs()`");
});

test("what the store cannot do is said of the workflow that was to run", async () => {
  write("main.yaml", GATE);
  write("taken", "");
  expect(await run({ home: join(cwd, "taken", "home") })).toMatchObject({
    exit_code: 1,
    file: "main.yaml",
    workflow: "w",
    errors: [{ error_type: "StoreError" }],
  });
});

const GATE = `
workflow: { name: w, entry_point: ask }
agents:
  - { name: ask, type: human_gate, prompt: "Ship?", options: [{ label: Y, value: y, route: $end }] }
`;

const exported = ({ artifacts }: Result): { readonly seq: number; readonly type: string }[] =>
  readFileSync(artifacts?.events_jsonl ?? "", "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

test("cancelling a paused run is the last event of events.jsonl too", async () => {
  write("main.yaml", GATE);
  const { run_id } = await run();
  const cancelled = await cancelRun(session(), { run: run_id ?? "" });
  const events = exported(cancelled);
  expect(events.at(-1)?.type).toBe("run_cancelled");
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
});

test("what a crash kept from events.jsonl is added before a run is cancelled", async () => {
  write("main.yaml", GATE);
  const paused = await run();
  const whole = exported(paused);
  writeFileSync(paused.artifacts?.events_jsonl ?? "", `${JSON.stringify(whole[0])}\n`);
  const cancelled = await cancelRun(session(), { run: paused.run_id ?? "" });
  expect(exported(cancelled).map(({ type }) => type)).toEqual([...whole.map(({ type }) => type), "run_cancelled"]);
});

test("a file that does not load any more can still be cancelled", async () => {
  write("main.yaml", GATE);
  const { run_id } = await run();
  write("main.yaml", "workflow: {");
  expect(await cancelRun(session(), { run: run_id ?? "" })).toMatchObject({ status: "cancelled" });
});

test("an edit of the parent does not run a child again whose error was handled", async () => {
  const parent = (last: string): string => `
workflow: { name: w, entry_point: call }
agents:
  - { name: call, type: workflow, workflow: child.yaml, routes: [{ to: last }, { on_error: a.kind, to: cope }] }
  - ${passing("cope", "last")}
  - ${last}
`;
  write("child.yaml", `workflow: { name: child, entry_point: c }\nagents:\n  - ${failing("c")}\n`);
  write("main.yaml", parent(failing("last")));
  const { run_id } = await run();
  write("main.yaml", parent(passing("last", "$end")));
  expect((await explain(run_id ?? "")).resume).toMatchObject({ runs: [{ node_id: "last" }] });
  expect(await resume(run_id ?? "")).toMatchObject({ status: "completed" });
  expect([lines("c"), lines("cope"), lines("last")]).toEqual([1, 1, 2]);
});
