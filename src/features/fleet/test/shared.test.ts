// What runs share holds over all workers: a breaker that opens for one is open for all, places are counted together, and
// whoever goes on with a run knows what it has spent and how its steps went.
import { describe, expect, it, onTestFinished } from "vitest";
import { ONE_DOLLAR } from "../../../../test/agents/model.ts";
import { startAnthropicFake } from "../../../../test/fakes/index.ts";
import { startApi } from "../../../../test/resilience/api.ts";
import { until } from "../../../../test/support/until.ts";
import type { Result } from "../../../base/results/result.ts";
import { cluster, hasPostgres } from "./cluster.ts";
import { TestFleet } from "./fleet.ts";

const CALLS = `
workflow:
  name: calls
  entry_point: call
  resilience: { circuit_breaker: { failure_threshold: 2, recovery_timeout: 600 } }
agents:
  - { name: call, type: http, url: "http://127.0.0.1:1/", routes: [{ to: $end }] }
`;

/** One step at a time in the whole store; each says who ran it. */
const ONE_PLACE = `
workflow: { name: narrow, entry_point: a, policies: [{ max_concurrent_tasks: 1 }] }
agents:
  - { name: a, type: script, command: sh, args: [-c, 'echo "begin $PPID" >> log; sleep 0.5; echo "end $PPID" >> log'] }
`;

const ASK = `
  - name: ask
    type: human_gate
    prompt: "Go on?"
    options: [{ label: "Yes", value: "yes", route: last }]
`;

const MONEY = `
workflow:
  name: money
  entry_point: first
  runtime: { provider: claude, default_model: m }
  limits: { budget_usd: 1.5, budget_mode: enforce }
  ${ONE_DOLLAR}
agents:
  - { name: first, prompt: one, routes: [{ to: ask }] }${ASK}  - { name: last, prompt: two }
`;

const PHASES = `
workflow: { name: phased, entry_point: good, phases: [try, ship], policies: [{ phase_gate: 0.8 }] }
agents:
  - { name: good, type: script, command: "true", phase: try, routes: [{ to: bad }] }
  - { name: bad, type: script, command: "false", phase: try, routes: [{ to: ask }, { on_error: "*", to: ask }] }${ASK}  - { name: last, type: set, value: shipped, phase: ship }
`;

const letters = (url: string): string => `
workflow: { name: fragile, entry_point: each, resilience: { dead_letter: true } }
agents: []
for_each:
  - name: each
    type: for_each
    source: "{{ [1] }}"
    as: n
    failure_mode: continue_on_error
    agent: { name: item, type: http, url: "${url}/{{ n }}", timeout: 60 }
    routes: [{ to: $end }]
`;

/** Runs the file on one worker up to its gate, and goes on from there on another; gives how that ended. */
async function onTwoWorkers(text: string, env: Readonly<Record<string, string>> = {}): Promise<Result> {
  const fleet = await TestFleet.start();
  fleet.write("main.yaml", text);
  const first = await fleet.worker(env);
  const { run_id, status } = await fleet.json(["run", "main.yaml"]);
  expect(status).toBe("paused");
  await first.leave();
  await fleet.worker(env);
  return fleet.json(["gate", "answer", run_id ?? "", "yes"]);
}

describe.skipIf(!hasPostgres)("what runs of a fleet share", () => {
  it("a breaker that the runs of one worker opened refuses those of another", async () => {
    const fleet = await TestFleet.start();
    fleet.write("calls.yaml", CALLS);
    const first = await fleet.worker();
    for (let count = 0; count < 2; count++)
      expect(await fleet.json(["run", "calls.yaml"])).toMatchObject({ success: false });
    await first.leave();
    await fleet.worker();
    const refused = await fleet.json(["run", "calls.yaml"]);

    expect(refused.errors.map(({ kind }) => kind)).toContain("circuit.open");
    expect(await fleet.json(["breakers"])).toMatchObject({ breakers: [{ status: "open" }] });
  });

  it("a limit of steps at a time is one over all workers", async () => {
    const fleet = await TestFleet.start();
    fleet.write("narrow.yaml", ONE_PLACE);
    // One run each, so that both are needed.
    const workers = await Promise.all([
      fleet.worker({}, { concurrency: 1 }),
      fleet.workerProcess({}, "--concurrency", "1"),
    ]);
    const runs = await Promise.all(Array.from({ length: 4 }, () => fleet.place("narrow.yaml")));
    expect(new Set(await fleet.allEnded(runs))).toEqual(new Set(["completed"]));
    const lines = fleet.lines("log").map((line) => line.split(" "));
    expect(lines.map(([what]) => what)).toEqual(runs.flatMap(() => ["begin", "end"]));
    expect(new Set(lines.map(([, pid]) => Number(pid)))).toEqual(new Set(workers.map(({ pid }) => pid)));
  });

  it("what a run spent on one worker counts against its budget on the next", async () => {
    const fake = await startAnthropicFake({ answers: () => "ok" });
    onTestFinished(() => fake.close());
    const env = { ANTHROPIC_BASE_URL: fake.url, ANTHROPIC_API_KEY: "key-of-nobody" };
    expect(await onTwoWorkers(MONEY, env)).toMatchObject({
      status: "failed",
      errors: [{ error_type: "BudgetExceededError", node_id: "last" }],
      metrics: { total_cost_usd: 2 },
    });
    expect(fake.requests).toHaveLength(2);
  });

  it("a phase is left by how its steps went on another worker", async () => {
    expect(await onTwoWorkers(PHASES)).toMatchObject({
      errors: [{ kind: "policy.denied", node_id: "last", details: { metadata: { completed: 1, failed: 1 } } }],
    });
  });

  it("a letter of a worker that is gone is tried again from elsewhere, on the worker that is there", async () => {
    const api = await startApi({ isUp: false });
    const fleet = await TestFleet.start();
    fleet.write("letter.yaml", letters(api.url));
    const first = await fleet.worker();
    await fleet.json(["run", "letter.yaml"]);
    await first.leave();
    await fleet.worker({}, { id: "second" });
    const other = fleet.elsewhere();
    const on = ["--on", fleet.url];
    const { letters: open } = await other.json<{ letters: readonly { id: string }[] }>(["dlq", "list", ...on]);
    api.isUp = true;
    expect(await other.json(["dlq", "retry", open[0]!.id, ...on])).toMatchObject({ letters: [{ status: "resolved" }] });
  });

  it("a run that waits for an hour holds no place and no process, and whoever is there goes on with it", async () => {
    const fleet = await TestFleet.start();
    fleet.write(
      "hour.yaml",
      `
workflow: { name: hour, entry_point: before }
agents:
  - { name: before, type: script, command: sh, args: [-c, "echo before >> log"], routes: [{ to: rest }] }
  - { name: rest, type: wait, duration: 1h, routes: [{ to: after }] }
  - { name: after, type: script, command: sh, args: [-c, "echo after >> log"] }
`,
    );
    await fleet.worker({}, { concurrency: 1 });
    const run = await fleet.place("hour.yaml");
    const look = () =>
      fleet.json<{ workers: readonly { runs: readonly string[] }[]; queue: { waiting: number; delayed: number } }>([
        "workers",
      ]);
    await until(async () => (await look()).queue.delayed === 1);
    expect(await look()).toMatchObject({ workers: [{ runs: [] }], queue: { waiting: 0, delayed: 1 } });
    const server = await cluster();
    const [row] = await server.sql(
      `select extract(epoch from wakes_at - clock_timestamp()) as seconds, pid, left_because from segno.runs`,
      fleet.url,
    );
    expect(Number(row?.seconds)).toBeGreaterThan(3500);
    expect(row).toMatchObject({ pid: null, left_because: "waiting" });
    expect(await server.sql("select 1 from dbos.workflow_status where status = 'PENDING'", fleet.url)).toEqual([]);
    // Its only place is free for others.
    fleet.write(
      "quick.yaml",
      "workflow: { name: quick, entry_point: a }\nagents: [{ name: a, type: set, value: '1' }]\n",
    );
    expect(await fleet.json(["run", "quick.yaml"])).toMatchObject({ status: "completed" });
    expect(fleet.lines("log")).toEqual(["before"]);
    expect(await fleet.json(["cancel", run])).toMatchObject({ status: "cancelled" });
  });
});
