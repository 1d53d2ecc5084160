// What becomes of runs when workers are killed, stopped, asked to leave, or lose their database.
import { afterAll, describe, expect, it } from "vitest";
import { openPostgresStore } from "../../src/hosts/postgres/store.ts";
import { until } from "../support/until.ts";
import { cluster, hasPostgres } from "./cluster.ts";
import { faultsOf, SEAL_KEY, TestFleet } from "./fleet.ts";

/** A group, a child, a retry and some steps; each script notes who ran it, and when. */
const WORK = `
workflow: { name: work, entry_point: begin, input: { id: { type: string } } }
agents:
  - { name: begin, type: set, value: "{{ [1, 2, 3] }}", output_type: list, routes: [{ to: each }] }
  - name: flaky
    type: script
    command: sh
    args: [-c, 'echo "$1 flaky $PPID $(date +%s%3N)" >> log; test -e "tried-$1" || { touch "tried-$1"; exit 75; }', sh, "{{ workflow.input.id }}"]
    routes: [{ to: call }, { on_error: "*", retry: { max: 5, initial_seconds: 0.2 } }]
  - { name: call, type: workflow, workflow: ./child.yaml, input_mapping: { id: "{{ workflow.input.id }}" }, routes: [{ to: last }] }
  - { name: last, type: script, command: sh, args: [-c, 'echo "$1 last $PPID $(date +%s%3N)" >> log; sleep 0.2', sh, "{{ workflow.input.id }}"] }
for_each:
  - name: each
    type: for_each
    source: begin.output
    as: n
    max_concurrent: 2
    agent: { name: item, type: script, command: sh, args: [-c, 'echo "$1 item$2 $PPID $(date +%s%3N)" >> log; sleep 0.4', sh, "{{ workflow.input.id }}", "{{ n }}"] }
    routes: [{ to: flaky }]
output: { done: "yes" }
`;
const CHILD = `
workflow: { name: child, entry_point: a, input: { id: { type: string } } }
agents:
  - { name: a, type: script, command: sh, args: [-c, 'echo "$1 a $PPID $(date +%s%3N)" >> log; sleep 0.3', sh, "{{ workflow.input.id }}"], routes: [{ to: b }] }
  - { name: b, type: set, value: "1" }
output: { b: "{{ b.output }}" }
`;

const GATE = `
workflow: { name: gated, entry_point: ask }
agents:
  - name: ask
    type: human_gate
    prompt: "Ship?"
    options: [{ label: "Yes", value: "yes", route: $end }]
output: { chosen: "{{ ask.output.selected }}" }
`;

async function working(): Promise<TestFleet> {
  const fleet = await TestFleet.start();
  fleet.write("work.yaml", WORK);
  fleet.write("child.yaml", CHILD);
  return fleet;
}

let count = 0;

const placed = (fleet: TestFleet): Promise<string> => {
  count += 1;
  return fleet.place("work.yaml", "-i", `id=run${count}`);
};

describe.skipIf(!hasPostgres)("a fleet", () => {
  afterAll(async () => (await cluster()).close());

  it("finishes every run of a worker that is killed, and repeats no step that was done", async () => {
    const fleet = await working();
    const workers = [await fleet.worker(), await fleet.worker(), await fleet.worker()];
    const runs: string[] = [];
    for (let at = 0; at < 6; at++) runs.push(await placed(fleet));
    // Whoever has begun something.
    const busy = await until(
      () => workers.find(({ pid }) => fleet.lines("log").some((line) => line.includes(` ${pid} `))),
      60_000,
    );
    busy.child.kill("SIGKILL");
    expect(new Set(await fleet.allEnded(runs))).toEqual(new Set(["completed"]));
    for (const runId of runs) expect(faultsOf(await fleet.events(runId))).toEqual([]);
  }, 240_000);

  it("takes the runs of a worker that stands still, which begins nothing more when it wakes up, and ends", async () => {
    const fleet = await working();
    const stopped = await fleet.worker();
    const runs = [await placed(fleet), await placed(fleet)];
    await until(() => fleet.lines("log").length >= 2, 60_000);
    stopped.child.kill("SIGSTOP");
    await fleet.worker();
    expect(new Set(await fleet.allEnded(runs))).toEqual(new Set(["completed"]));
    const before = fleet.lines("log").length;
    stopped.child.kill("SIGCONT");
    expect(await stopped.ended).toBe(1);
    expect(stopped.said()).toMatch(/gave no sign of life/);
    expect(fleet.lines("log").slice(before)).toEqual([]);
    for (const runId of runs) expect(faultsOf(await fleet.events(runId))).toEqual([]);
  }, 240_000);

  it("is handed the runs of a worker that is asked to leave, without waiting for it to be missed", async () => {
    const fleet = await working();
    const leaving = await fleet.worker();
    const runs = [await placed(fleet), await placed(fleet)];
    await until(() => fleet.lines("log").length >= 2, 60_000);
    await fleet.worker();
    leaving.child.kill("SIGTERM");
    expect(await leaving.ended).toBe(0);
    expect(await fleet.allEnded(runs)).toEqual(["completed", "completed"]);
    for (const runId of runs) {
      const events = await fleet.events(runId);
      expect(faultsOf(events)).toEqual([]);
      // No step was cut off: what ran when the signal came has ended.
      expect(events.filter(({ type }) => type === "agent_started").length).toBeLessThanOrEqual(
        events.filter(({ type }) => type === "agent_completed" || type === "agent_failed" || type === "agent_reused")
          .length + 2,
      );
    }
  }, 240_000);

  it("waits for a database that is restarted, killed or away, and gives nobody up meanwhile", async () => {
    const fleet = await working();
    const server = await cluster();
    const workers = [await fleet.worker(), await fleet.worker()];
    const runs: string[] = [];
    for (let at = 0; at < 4; at++) runs.push(await placed(fleet));
    await until(() => fleet.lines("log").length >= 2, 60_000);
    server.stop("fast");
    server.start();
    const more = await placed(fleet);
    server.stop("immediate");
    const away = performance.now();
    await until(() => performance.now() - away > 5000, 10_000);
    server.start();
    expect(new Set(await fleet.allEnded([...runs, more]))).toEqual(new Set(["completed"]));
    for (const runId of [...runs, more]) expect(faultsOf(await fleet.events(runId))).toEqual([]);
    expect(workers.map(({ child }) => child.exitCode)).toEqual([null, null]);
    const dead = await server.sql(
      "select worker from segno.workers where dead and labels like '%\"worker\"%'",
      fleet.url,
    );
    expect(dead).toEqual([]);
  }, 240_000);

  it("moves runs to workers of another version when none of theirs is left", async () => {
    const fleet = await working();
    const old = await fleet.worker({ SEGNO_PROTOCOL: "0" });
    const run = await placed(fleet);
    // Nobody of its version is there: the worker of another version takes it over.
    expect(await fleet.allEnded([run])).toEqual(["completed"]);
    await fleet.worker();
    const second = await placed(fleet);
    expect(await fleet.allEnded([second])).toEqual(["completed"]);
    expect(old.child.exitCode).toBeNull();
  }, 240_000);

  it("goes on with a run that has lost its place in the queue", async () => {
    const fleet = await working();
    const run = await placed(fleet);
    await (await cluster()).sql("delete from dbos.workflow_status", fleet.url);
    // A worker that does not look for such runs leaves it where it is, while it drives others.
    const careless = await fleet.worker({ SEGNO_MUTANT: "no-reconciler" });
    const other = await placed(fleet);
    await until(async () => (await fleet.statusOf(other)) === "completed", 60_000);
    expect(await fleet.statusOf(run)).toBe("underway");
    careless.child.kill("SIGKILL");
    await fleet.worker();
    expect(await fleet.allEnded([run])).toEqual(["completed"]);
  }, 120_000);

  it("hears an answer that came just as the worker of its run was lost", async () => {
    const fleet = await TestFleet.start();
    fleet.write("gate.yaml", GATE);
    const lost = await fleet.worker();
    const run = await fleet.place("gate.yaml");
    await until(async () => (await fleet.statusOf(run)) === "paused", 60_000);
    lost.child.kill("SIGKILL");
    await lost.ended;
    // The moment in which the worker had asked, and had not yet said that the drive is over.
    const server = await cluster();
    await server.sql("update segno.runs set drive_ended = false", fleet.url);
    const store = await openPostgresStore(fleet.url, { home: fleet.folder, sealKey: SEAL_KEY });
    const [gate] = await store.state.gates.pending(run);
    const answer = { kind: "gate", value: "yes", additional_input: {}, by: "cli", person: "somebody" };
    expect(await store.fleet.answer(run, gate!.key, { answer }, { request: {} })).toBe("ok");
    await store.close();
    await server.sql("update segno.runs set drive_ended = true", fleet.url);
    const careless = await fleet.worker({ SEGNO_MUTANT: "no-reconciler" });
    const other = await fleet.place("gate.yaml");
    await until(async () => (await fleet.statusOf(other)) === "paused", 60_000);
    expect(await fleet.statusOf(run)).toBe("paused");
    careless.child.kill("SIGKILL");
    await fleet.worker();
    await until(async () => (await fleet.statusOf(run)) === "completed", 60_000);
    expect(await fleet.json(["show", run])).toMatchObject({ output: { chosen: "yes" } });
    // Once: nobody is asked again for nothing.
    expect((await fleet.events(run)).filter(({ type }) => type === "run_resumed")).toHaveLength(1);
  }, 120_000);
});
