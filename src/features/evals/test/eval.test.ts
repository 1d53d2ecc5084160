// An eval from outside: rows, variants, grades; what is real, what is answered for, and what was not measured.
import { getEventListeners } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { begin } from "../../../../test/support/command-line.ts";
import { Playground } from "../../../../test/support/play.ts";
import { defineProvider } from "../../../frontends/library/define-step.ts";
import type { DriveListeners } from "../../../services/request.ts";
import { pruneRuns } from "../../../services/runs/prune.ts";
import { resumeRun } from "../../../services/runs/resume.ts";
import { listRuns, showRun } from "../../../services/runs/runs.ts";
import { statsOfRuns } from "../../../services/runs/stats.ts";
import { extensionsFrom } from "../../../services/session/extensions.ts";
import type { Session } from "../../../services/session/session.ts";
import { type EvalRequest, runEval } from "../run-eval.ts";

const grounds: Playground[] = [];
afterEach(() => {
  for (const ground of grounds.splice(0)) ground.close();
});

function groundWith(files: Readonly<Record<string, string>>): Playground {
  const ground = new Playground();
  grounds.push(ground);
  ground.write(files);
  return ground;
}

/** Answers by the words of the ticket; a model called small knows less. */
const asked: string[] = [];
const desk = defineProvider({
  name: "desk",
  call: ({ messages, model }) => {
    const said = messages.at(-1);
    const text = said?.role === "user" ? said.text : "";
    asked.push(text);
    if (text.includes("outage")) throw Object.assign(new Error("no"), { statusCode: 503 });
    const label = /money/.test(text) && model !== "small" ? "refund" : "other";
    return { text: JSON.stringify({ label, text: `about a ${label}` }), tokens: { input: 10, output: 5 } as never };
  },
});

const TRIAGE = `workflow:
  name: triage
  entry_point: load
  input: { ticket: { type: string } }
  runtime: { provider: desk, default_model: large }
  cost: { pricing: { large: { input_per_mtok: 1000, output_per_mtok: 0 }, small: { input_per_mtok: 100, output_per_mtok: 0 } } }
agents:
  - { name: load, type: script, command: sh, args: [load.sh, "{{ workflow.input.ticket }}"], routes: [{ to: classify }] }
  - name: classify
    prompt: "Ticket: {{ load.output.text }}"
    retry: { max_attempts: 1 }
    output: { label: { type: string }, text: { type: string } }
    routes: [{ to: $end }]
output: { label: "{{ classify.output.label }}", text: "{{ classify.output.text }}" }
`;
const LOAD = `echo ran >> loaded; printf '{"text": "the %s"}' "$1"\n`;

const EVAL = `workflow: triage.yaml
dataset: tickets.jsonl
live: [load]
variants:
  - { name: today }
  - { name: small, set: { runtime.default_model: small } }
grade:
  - { equals: "{{ expected.label }}", value: "{{ output.label }}" }
`;
const TICKETS = `{"id": "t1", "inputs": {"ticket": "money back"}, "expected": {"label": "refund"}, "tags": ["money"]}
{"id": "t2", "inputs": {"ticket": "broken door"}, "expected": {"label": "other"}}
`;

const evalOn = async (ground: Playground, more: Partial<EvalRequest & DriveListeners & Session> = {}) =>
  runEval(
    { ...ground.session, extensions: await extensionsFrom({ providers: [desk] }), ...more },
    { path: "triage.eval.yaml", ...more },
    more,
  );

const FILES = { "triage.yaml": TRIAGE, "load.sh": LOAD, "triage.eval.yaml": EVAL, "tickets.jsonl": TICKETS };

it("runs every row with every variant, grades it, and says where they differ", async () => {
  const ground = groundWith(FILES);
  const { signal } = new AbortController();
  const answer = await evalOn(ground, { signal });
  expect(answer).toMatchObject({ error: null, exit_code: 0 });
  // However many rows there are, none of them is left listening.
  expect(getEventListeners(signal, "abort")).toEqual([]);
  expect(answer.rows.map(({ id, variant, passed, status }) => [id, variant, passed, status])).toEqual([
    ["t1", "today", true, "completed"],
    ["t1", "small", false, "completed"],
    ["t2", "today", true, "completed"],
    ["t2", "small", true, "completed"],
  ]);
  expect(answer.rows[1]?.grades).toEqual([
    { name: "completed", passed: true, score: 1, why: null },
    { name: "equals", passed: false, score: 0, why: 'it is "other", expected "refund"' },
  ]);
  expect(answer.summary).toMatchObject([
    { variant: "today", measured: 2, passed: 2, rate: 1, cost_usd: 0.02, tags: [{ tag: "money", rate: 1 }] },
    { variant: "small", measured: 2, passed: 1, rate: 0.5, cost_usd: 0.002 },
  ]);
  expect(answer.differences).toEqual([{ id: "t1", passed: { today: 1, small: 0 } }]);
  // Each row is an ordinary run, driven with the file of its variant.
  const small = await ground.resume(answer.rows[1]?.run_id ?? "");
  expect(small.result).toMatchObject({ status: "completed", output: { label: "other" } });
});

it("answers for what is not live from past runs that asked the same, and measures nothing that nobody recorded", async () => {
  // A secret that it is asked with counts for nothing: the run was given another one, and no journal keeps it.
  const keyed = TRIAGE.replace(
    "ticket: { type: string }",
    "$&, api_token: { type: string, secret: true, default: t0ken-2 }",
  );
  const ground = groundWith({
    ...FILES,
    "triage.yaml": keyed.replace('ticket }}"]', 'ticket }}", "{{ workflow.input.api_token }}"]'),
    "triage.eval.yaml": EVAL.replace("live: [load]\n", ""),
  });
  const extensions = await extensionsFrom({ providers: [desk] });
  const inputs = { ticket: { text: "money back" }, api_token: { text: "t0ken-1" } };
  await ground.run("triage.yaml", { inputs, extensions });
  expect(ground.read("loaded")).toBe("ran\n");
  const answer = await evalOn(ground);
  expect(ground.read("loaded")).toBe("ran\n");
  expect(answer.rows.map(({ id, variant, passed }) => [id, variant, passed])).toEqual([
    ["t1", "today", true],
    ["t1", "small", false],
    ["t2", "today", null],
    ["t2", "small", null],
  ]);
  expect(answer.rows[2]?.why).toMatch(
    /called by load, is not scripted: nothing is recorded for it. Name it under `live:`/,
  );
  expect(answer.summary).toMatchObject([{ measured: 1, passed: 1, not_measured: 1 }, {}]);
});

it("takes past runs for rows, and what they came to for what is expected", async () => {
  const ground = groundWith({
    ...FILES,
    "triage.eval.yaml": `workflow: triage.yaml
runs: { since: 1d, status: completed }
grade: [{ equals: "{{ expected.label }}", value: "{{ output.label }}" }, { trace: [load, classify] }]
variants: [{ name: small, set: { classify.model: small } }]
`,
  });
  const extensions = await extensionsFrom({ providers: [desk] });
  const { result } = await ground.run("triage.yaml", { inputs: { ticket: { text: "money back" } }, extensions });
  const answer = await evalOn(ground);
  expect(answer.rows).toMatchObject([{ id: result.run_id, variant: "small", passed: false, kind: null }]);
  expect(answer.rows[0]?.grades.map(({ name, passed }) => [name, passed])).toEqual([
    ["completed", true],
    ["equals", false],
    ["trace", true],
  ]);
  expect(ground.read("loaded")).toBe("ran\n");
});

it("runs one step alone, with what stands before it from the run of its row", async () => {
  const ground = groundWith({
    ...FILES,
    "triage.eval.yaml": `workflow: triage.yaml
step: classify
runs: {}
grade: [{ equals: "{{ expected.label }}", value: "{{ output.label }}" }]
`,
    "triage.yaml": TRIAGE.replace("routes: [{ to: $end }]", "routes: [{ to: after }]").replace(
      'output: { label: "{{ classify',
      '  - { name: after, type: script, command: sh, args: [load.sh, x], routes: [{ to: $end }] }\noutput: { label: "{{ classify',
    ),
  });
  const extensions = await extensionsFrom({ providers: [desk] });
  await ground.run("triage.yaml", { inputs: { ticket: { text: "money back" } }, extensions });
  expect(ground.read("loaded")).toBe("ran\nran\n");
  const answer = await evalOn(ground);
  expect(answer.rows).toMatchObject([{ passed: true, why: null }]);
  expect(ground.read("loaded")).toBe("ran\nran\n");
});

it("does not measure what a provider, or the budget, kept from being measured", async () => {
  const ground = groundWith({
    ...FILES,
    "tickets.jsonl": `{"id": "a", "inputs": {"ticket": "outage"}, "expected": {"label": "other"}}\n${TICKETS}`,
    "triage.eval.yaml": `${EVAL.replace(/variants:\n.*\n.*\n/, "")}budget_usd: 0.005\nfail_under: { pass: 0.5 }\n`,
  });
  const answer = await evalOn(ground, { parallel: 1 });
  expect(answer.rows.map(({ id, passed, why }) => [id, passed, why?.split(":")[0]])).toEqual([
    ["a", null, "provider.exhausted"],
    // The first that costs anything goes beyond it.
    ["t1", null, expect.stringContaining("more than limits.budget_usd")],
    ["t2", null, "budget_usd ($0.005) was used up before it"],
  ]);
  expect(answer).toMatchObject({
    exit_code: 1,
    error: "nothing of default was measured, and fail_under asks for 50.0 %",
  });
});

it("lets rows side by side spend no more than the budget", async () => {
  const rows = Array.from(
    { length: 12 },
    (_, id) => `{"id": "${id}", "inputs": {"ticket": "money"}, "expected": {"label": "refund"}}`,
  );
  const ground = groundWith({
    ...FILES,
    "tickets.jsonl": `${rows.join("\n")}\n`,
    // A row costs 0.01.
    "triage.eval.yaml": `${EVAL.replace(/variants:\n.*\n.*\n/, "")}budget_usd: 0.05\n`,
  });
  const answer = await evalOn(ground, { parallel: 4 });
  expect(answer.rows.filter(({ passed }) => passed)).toHaveLength(5);
  expect(answer.summary).toMatchObject([{ measured: 5, not_measured: 7, cost_usd: expect.closeTo(0.05, 6) }]);
});

it("goes on with an eval that was stopped, and runs no row twice", async () => {
  const ground = groundWith(FILES);
  const stop = new AbortController();
  asked.length = 0;
  const first = await evalOn(ground, {
    parallel: 1,
    signal: stop.signal,
    onRow: (_, done) => done === 2 && stop.abort(new Error("enough")),
  });
  expect(first).toMatchObject({ exit_code: 130, rows: [{ id: "t1" }, { id: "t1" }] });
  const both = await Promise.all([evalOn(ground, { resume: true }), evalOn(ground, { resume: true })]);
  const [second, refused] = both.sort((a, b) => (a.exit_code ?? 0) - (b.exit_code ?? 0));
  expect(refused?.error).toMatch(/is still under way in another process/);
  expect(second).toMatchObject({ exit_code: 0, eval_id: first.eval_id });
  expect(second?.rows).toHaveLength(4);
  expect(asked).toHaveLength(4);
  expect((await evalOn(ground, { resume: true })).error).toMatch(/there is no eval of triage.eval.yaml that was not/);
});

it("says beforehand what would be real, and does nothing", async () => {
  const ground = groundWith(FILES);
  const answer = await evalOn(ground, { dryRun: true });
  expect(answer.preview).toEqual({
    runs: 4,
    rows: 2,
    answered: [],
    graders: [],
    estimate_usd: null,
    past_runs: 0,
    variants: [
      { variant: "today", runs: 2, estimate_usd: null, models: [{ model: "large", usd_per_run: null, past_runs: 0 }] },
      { variant: "small", runs: 2, estimate_usd: null, models: [{ model: "small", usd_per_run: null, past_runs: 0 }] },
    ],
    live: [
      { step: "load", type: "script" },
      { step: "classify", type: "agent", model: "large" },
    ],
  });
  expect(existsSync(`${ground.folder}/loaded`)).toBe(false);
  expect(existsSync(`${ground.folder}/.home/evals`) ? readdirSync(`${ground.folder}/.home/evals`) : []).toEqual([]);
});

it("says beforehand what each variant would cost, from what its model cost in past runs and evals", async () => {
  const ground = groundWith(FILES);
  const extensions = await extensionsFrom({ providers: [desk] });
  await ground.run("triage.yaml", { extensions, inputs: { ticket: { text: "money back" } } });
  const before = (await evalOn(ground, { dryRun: true })).preview;
  expect(before).toMatchObject({
    estimate_usd: null,
    past_runs: 1,
    variants: [
      { estimate_usd: 0.02, models: [{ model: "large", usd_per_run: 0.01 }] },
      { estimate_usd: null, models: [{ model: "small", usd_per_run: null }] },
    ],
  });
  await evalOn(ground);
  const after = (await evalOn(ground, { dryRun: true })).preview;
  expect(after).toMatchObject({
    estimate_usd: 0.022,
    past_runs: 5,
    variants: [
      { estimate_usd: 0.02, models: [{ past_runs: 3 }] },
      { estimate_usd: 0.002, models: [{ past_runs: 2 }] },
    ],
  });
});

it("keeps its rows out of the list of runs and of their figures, and no bare resume takes one", async () => {
  const ground = groundWith({ ...FILES, "triage.yaml": TRIAGE.replace("sh, args: [load.sh", "sh, args: [gone.sh") });
  const answer = await evalOn(ground);
  expect(answer.rows.map(({ status }) => status)).toEqual(["failed", "failed", "failed", "failed"]);
  expect((await listRuns(ground.session, {})).runs).toEqual([]);
  expect((await statsOfRuns(ground.session, {})).workflows).toEqual([]);
  for (const target of [undefined, "triage.yaml"])
    expect(await resumeRun(ground.session, { target, inputs: {} })).toMatchObject({
      success: false,
      error: expect.stringMatching(/^there is no run/),
    });
  // By its id a row is a run like any other.
  const row = answer.rows[0]?.run_id ?? "";
  expect(await showRun(ground.session, { run: row })).toMatchObject({ run_id: row, status: "failed" });
});

it("compares with an earlier result: rows that flipped, and whether it is significantly worse", async () => {
  const rows = Array.from(
    { length: 8 },
    (_, n) => `{"id": "r${n}", "inputs": {"ticket": "money ${n}"}, "expected": {"label": "refund"}}`,
  );
  const ground = groundWith({
    ...FILES,
    "tickets.jsonl": rows.join("\n"),
    "triage.eval.yaml": EVAL.replace(/variants:\n.*\n.*\n/, ""),
  });
  const before = await evalOn(ground);
  ground.write({
    "before.json": JSON.stringify(before),
    "triage.yaml": TRIAGE.replace("model: large", "model: small"),
  });
  const after = await evalOn(ground, { compare: "before.json" });
  expect(after.compare).toMatchObject([
    { variant: "default", was: 1, now: 0, fixed: [], significantly_worse: true, cost_usd: { was: 0.08, now: 0.008 } },
  ]);
  expect(after.compare?.[0]?.broken).toHaveLength(8);
  expect(after).toMatchObject({ exit_code: 1, error: "default is significantly worse: 8 rows broken, 0 fixed" });
  const same = await evalOn(ground, { compare: after.eval_id ?? "" });
  expect(same).toMatchObject({ exit_code: 0, compare: [{ broken: [], fixed: [], significantly_worse: false }] });
  expect((await evalOn(ground, { compare: "nowhere" })).error).toMatch(/neither a file with a result, nor the id/);
});

it("resumes the run of a row as any other", async () => {
  const ground = groundWith(FILES);
  const { rows } = await evalOn(ground);
  const result = await resumeRun(ground.session, { target: rows[0]?.run_id ?? "", inputs: {} });
  expect(result).toMatchObject({ status: "completed", output: { label: "refund" } });
});

it("is removed with the last of its runs, and not while it can go on", async () => {
  const ground = groundWith(FILES);
  const kept = () => readdirSync(`${ground.folder}/.home/evals`);
  const prune = (more: object = {}) => pruneRuns(ground.session, { yes: true, keep: 0, ...more });
  const { eval_id, rows } = await evalOn(ground);
  expect((await prune({ keep: 1 })).removed).toHaveLength(rows.length - 1);
  expect(kept()).toEqual([eval_id]);
  expect((await prune()).removed).toHaveLength(1);
  expect(kept()).toEqual([]);
  const stop = new AbortController();
  const begun = await evalOn(ground, {
    parallel: 1,
    signal: stop.signal,
    onRow: () => stop.abort(new Error("enough")),
  });
  expect((await prune()).removed).toHaveLength(1);
  expect(kept()).toEqual([begun.eval_id]);
});

it("makes no row of a step that gave no answer, nor of an expectation that is half an object", async () => {
  const ground = groundWith(FILES);
  const extensions = await extensionsFrom({ providers: [desk] });
  const { result } = await ground.run("triage.yaml", { extensions, inputs: { ticket: { text: "money" } } });
  const { cwd, env, home } = ground.session;
  const add = async (...more: readonly string[]) => {
    const args = ["eval", "add", result.run_id ?? "", "--to", "more.jsonl", "--home", home, ...more];
    const { said, ended } = begin(args, { cwd, env });
    return [await ended, said()];
  };
  expect(await add("--step", "nobody")).toEqual([2, expect.stringContaining("step nobody gave no answer in the run")]);
  expect(await add("--expected", '{"label": ')).toEqual([2, expect.stringContaining("what is expected is no JSON")]);
  expect(existsSync(`${cwd}/more.jsonl`)).toBe(false);
});
