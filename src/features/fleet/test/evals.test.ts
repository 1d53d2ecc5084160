// Evals whose rows run on the workers of a fleet: the scenario of a row travels with its run, so that only agents and what
// `live:` names touch the world there too, and no row is lost with a worker or with the process that asked.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Fake, type FakeRequest, startAnthropicFake } from "../../../../test/fakes/index.ts";
import { until } from "../../../../test/support/until.ts";
import type { EvalAnswer } from "../../evals/run-eval.ts";
import { hasPostgres } from "./cluster.ts";
import { QUICK, TestFleet } from "./fleet.ts";

/** The wait would last a day, were it not a scenario's. */
const TRIAGE = `workflow:
  name: triage
  entry_point: load
  input: { ticket: { type: string }, key: { type: string, secret: true, default: none } }
  runtime: { provider: anthropic, default_model: large }
agents:
  - { name: load, type: script, command: sh, args: [-c, "echo loaded >> $LOG; echo the $TICKET"], env: { TICKET: "{{ workflow.input.ticket }}" }, routes: [{ to: rest }] }
  - { name: rest, type: wait, duration: 1d, routes: [{ to: classify }] }
  - { name: classify, prompt: "Ticket: {{ load.output.stdout }}", retry: { max_attempts: 1 }, output: { label: { type: string } }, routes: [{ to: note }] }
  - { name: note, type: script, command: sh, args: [-c, "echo noted >> $LOG"] }
output: { label: "{{ classify.output.label }}" }
`;
const EVAL = `workflow: triage.yaml
dataset: tickets.jsonl
scenario: answers.scenario.yaml
live: [note]
variants: [{ name: today }, { name: small, set: { runtime.default_model: small } }]
grade: [{ equals: "{{ expected.label }}", value: "{{ output.label }}" }, { trace: [load, rest, classify, note] }]
`;
const ANSWERS = `workflow: triage.yaml
cli_scripts: [{ step: load, stdout: "the ticket" }]
`;
const ticket = (id: string, label: string): string =>
  `${JSON.stringify({ id, inputs: { ticket: id, key: `s3cret-${id}` }, expected: { label } })}\n`;

async function modelServer(answers: (request: FakeRequest) => Promise<object> | object): Promise<Fake> {
  const fake = await startAnthropicFake({ answers: answers as never });
  onTestFinished(() => fake.close());
  return fake;
}

const environment = (fleet: TestFleet, { url }: Fake) => ({
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: "k",
  LOG: join(fleet.folder, "log"),
});

describe.skipIf(!hasPostgres)("an eval on a fleet", () => {
  it("runs its rows on the workers, which touch nothing that is not live", async () => {
    const fleet = await TestFleet.start();
    const fake = await modelServer(({ model }) => ({ json: { label: model === "small" ? "other" : "refund" } }));
    const env = environment(fleet, fake);
    await fleet.worker(env);
    // The worker has neither the files nor the folders of this machine.
    const desk = fleet.elsewhere();
    const files = { "triage.yaml": TRIAGE, "triage.eval.yaml": EVAL, "answers.scenario.yaml": ANSWERS };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(desk.folder, name), text);
    writeFileSync(join(desk.folder, "tickets.jsonl"), `${ticket("a", "refund")}${ticket("b", "refund")}`);
    const answer = await desk.json<EvalAnswer>(["eval", "triage.eval.yaml", "--on", fleet.url]);
    expect(answer).toMatchObject({ exit_code: 0, error: null });
    expect(answer.rows.map(({ id, variant, passed, why }) => [id, variant, passed, why])).toEqual([
      ["a", "today", true, null],
      ["a", "small", false, null],
      ["b", "today", true, null],
      ["b", "small", false, null],
    ]);
    expect(fake.requests).toHaveLength(4);
    expect(fleet.lines("log")).toEqual(["noted", "noted", "noted", "noted"]);
    const [row] = answer.rows;
    const [began] = await fleet.events(row?.run_id ?? "");
    expect(began?.data).toMatchObject({ started_by: "eval:triage", inputs: { ticket: "a" }, hidden_inputs: ["key"] });
    // Neither a past run of the workflow nor an estimate of what it costs.
    const dry = await desk.json<EvalAnswer>(["eval", "triage.eval.yaml", "--on", fleet.url, "--dry-run"]);
    expect(dry.preview).toMatchObject({ past_runs: 0, estimate_usd: null });
    expect(JSON.stringify(await fleet.sql("select data from segno.sources"))).not.toContain("s3cret");
  });

  it("loses no row with the process that asked and with a worker, and asks no agent twice that had answered", async () => {
    const fleet = await TestFleet.start();
    // The second question hangs until its worker is gone.
    let isKilled = false;
    const fake = await modelServer(({ index }) =>
      index > 0 && !isKilled ? { fault: "slow_headers" } : { json: { label: "refund" } },
    );
    const env = { ...environment(fleet, fake), ...QUICK };
    for (const [name, text] of Object.entries({
      "triage.yaml": TRIAGE,
      "answers.scenario.yaml": ANSWERS,
      "triage.eval.yaml": EVAL.replace(/variants:.*\n/, ""),
      "tickets.jsonl": ["a", "b", "c"].map((id) => ticket(id, "refund")).join(""),
    }))
      fleet.write(name, text);
    const first = await fleet.workerProcess(env);
    const asking = fleet.program.start(["eval", "triage.eval.yaml", "--parallel", "1"], env);
    const gone = new Promise((done) => asking.once("exit", done));
    await until(() => fake.requests.length === 2);
    asking.kill("SIGKILL");
    await gone;
    await first.kill();
    isKilled = true;
    expect(await fleet.json(["eval", "triage.eval.yaml", "--resume"], { SEGNO_ON: "" })).toMatchObject({
      error: expect.stringMatching(/^the rows of the eval \S+ are on a fleet: go on with --on, as it began$/),
    });
    await fleet.worker(env);
    const answer = await fleet.json<EvalAnswer>(["eval", "triage.eval.yaml", "--resume"], env);
    expect(answer.rows.map(({ id, passed, why }) => [id, passed, why])).toEqual([
      ["a", true, null],
      ["b", true, null],
      ["c", true, null],
    ]);
    // One for each row, and the one that was cut off.
    expect(fake.requests).toHaveLength(4);
    expect(fleet.lines("log")).toEqual(["noted", "noted", "noted"]);
    const events = await fleet.events(answer.rows[1]?.run_id ?? "");
    expect(events.filter(({ type }) => type === "run_resumed")).toHaveLength(1);
  });

  it("resumes a row on the workers, with the scenario that it began with", async () => {
    const fleet = await TestFleet.start();
    const fake = await modelServer(({ index }) => (index === 0 ? { status: 400 } : { json: { label: "refund" } }));
    const env = environment(fleet, fake);
    await fleet.worker(env);
    for (const [name, text] of Object.entries({
      "triage.yaml": TRIAGE,
      "answers.scenario.yaml": ANSWERS,
      "tickets.jsonl": ticket("a", "refund"),
      "triage.eval.yaml": EVAL.replace(/variants:.*\n/, ""),
    }))
      fleet.write(name, text);
    const { rows } = await fleet.json<EvalAnswer>(["eval", "triage.eval.yaml"]);
    expect(rows).toMatchObject([{ status: "failed", kind: "provider.rejected" }]);
    rmSync(join(fleet.folder, "home", "evals"), { recursive: true });
    expect(await fleet.json(["resume", rows[0]?.run_id ?? ""])).toMatchObject({
      status: "completed",
      output: { label: "refund" },
    });
    expect(fleet.lines("log")).toEqual(["noted"]);
  });
});
