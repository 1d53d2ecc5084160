// What becomes of runs when workers are killed, stopped, asked to leave, or lose their database.
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { mutants } from "../postgres/lease.ts";
import { openPostgresStore } from "../postgres/store.ts";
import { hasPostgres } from "./cluster.ts";
import { ownCluster } from "./databases.ts";
import { faultsOf, QUICK, SEAL_KEY, TestFleet } from "./fleet.ts";

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

const HELD = `
workflow: { name: held, entry_point: a }
agents:
  - { name: a, type: script, command: sh, args: [-c, 'echo $PPID >> log; until test -e go; do sleep 0.1; done'] }
`;

async function working(url?: string): Promise<TestFleet> {
  const fleet = await TestFleet.start(url);
  fleet.write("work.yaml", WORK);
  fleet.write("child.yaml", CHILD);
  return fleet;
}

let count = 0;

const placed = (fleet: TestFleet): Promise<string> => {
  count += 1;
  return fleet.place("work.yaml", "-i", `id=run${count}`);
};

afterEach(() => mutants.clear());

describe.skipIf(!hasPostgres)("a fleet", () => {
  it("finishes every run of a worker that is killed, and repeats no step that was done", async () => {
    const fleet = await working();
    const workers = await Promise.all([fleet.workerProcess(QUICK), fleet.workerProcess(QUICK)]);
    const runs: string[] = [];
    for (let at = 0; at < 6; at++) runs.push(await placed(fleet));
    // Whoever has begun something.
    const busy = await until(() =>
      workers.find(({ pid }) => fleet.lines("log").some((line) => line.includes(` ${pid} `))),
    );
    // Two are left, and each run is taken by one of them.
    await Promise.all([busy.kill(), fleet.worker(QUICK)]);
    expect(new Set(await fleet.allEnded(runs))).toEqual(new Set(["completed"]));
    for (const runId of runs) expect(faultsOf(await fleet.events(runId))).toEqual([]);
  });

  it("takes the runs of a worker that stands still, which begins nothing more when it wakes up, and ends", async () => {
    const fleet = await working();
    fleet.write("work.yaml", WORK.replace("sleep 0.4", "until test -e go; do sleep 0.1; done"));
    const stopped = await fleet.workerProcess(QUICK);
    const runs = [await placed(fleet), await placed(fleet)];
    // Two items of each: it waits for them, and is not just about to begin another.
    await until(() => fleet.lines("log").length === 4);
    stopped.child.kill("SIGSTOP");
    await fleet.worker(QUICK);
    fleet.write("go", "");
    expect(new Set(await fleet.allEnded(runs))).toEqual(new Set(["completed"]));
    const before = fleet.lines("log").length;
    stopped.child.kill("SIGCONT");
    expect(await stopped.ended).toBe(1);
    expect(stopped.said()).toMatch(/sent no heartbeat/);
    expect(fleet.lines("log").slice(before)).toEqual([]);
    for (const runId of runs) expect(faultsOf(await fleet.events(runId))).toEqual([]);
  });

  it("lets each worker take as many runs at a time as it was told, however many the one that came last takes", async () => {
    const fleet = await TestFleet.start();
    fleet.write("held.yaml", HELD);
    const three = await fleet.workerProcess({}, "--concurrency", "3");
    const one = await fleet.worker({}, { concurrency: 1 });
    const runs = await Promise.all(Array.from({ length: 5 }, () => fleet.place("held.yaml")));
    await until(() => fleet.lines("log").length === 4);
    const heldBy = ({ pid }: { readonly pid: number }) => fleet.lines("log").filter((line) => Number(line) === pid);
    expect([heldBy(three).length, heldBy(one).length]).toEqual([3, 1]);
    fleet.write("go", "");
    expect(new Set(await fleet.allEnded(runs))).toEqual(new Set(["completed"]));
  });

  it("is handed the runs of a worker that is asked to leave, without waiting for it to be missed", async () => {
    const fleet = await working();
    const leaving = await fleet.workerProcess();
    const runs = [await placed(fleet), await placed(fleet)];
    await until(() => fleet.lines("log").length >= 2);
    await fleet.worker();
    await leaving.leave();
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
  });

  it("waits for a database that is restarted, killed or away, and gives nobody up meanwhile", async () => {
    const server = await ownCluster();
    onTestFinished(() => server.close());
    const fleet = await working(await server.database());
    const workers = await Promise.all([fleet.workerProcess(QUICK), fleet.workerProcess(QUICK)]);
    const runs: string[] = [];
    for (let at = 0; at < 4; at++) runs.push(await placed(fleet));
    await until(() => fleet.lines("log").length >= 2);
    server.stop("fast");
    server.start();
    const more = await placed(fleet);
    server.stop("immediate");
    const away = performance.now();
    await until(() => performance.now() - away > 10_000);
    server.start();
    expect(new Set(await fleet.allEnded([...runs, more]))).toEqual(new Set(["completed"]));
    for (const runId of [...runs, more]) expect(faultsOf(await fleet.events(runId))).toEqual([]);
    expect(workers.map(({ child }) => child.exitCode)).toEqual([null, null]);
    const dead = await fleet.sql("select worker from segno.workers where dead and labels like '%\"worker\"%'");
    expect(dead).toEqual([]);
  });

  it("moves runs to workers of another version when none of theirs is left", async () => {
    const fleet = await working();
    const old = await fleet.workerProcess({ SEGNO_PROTOCOL: "0" });
    const run = await placed(fleet);
    // Nobody of its version is there: the worker of another version takes it over.
    expect(await fleet.allEnded([run])).toEqual(["completed"]);
    await fleet.worker();
    const second = await placed(fleet);
    expect(await fleet.allEnded([second])).toEqual(["completed"]);
    expect(old.child.exitCode).toBeNull();
  });

  it("goes on with a run that has lost its place in the queue", async () => {
    const fleet = await working();
    const run = await placed(fleet);
    await fleet.sql("delete from dbos.workflow_status");
    // A worker that does not look for such runs leaves it where it is, while it drives others.
    mutants.add("no-reconciler");
    const careless = await fleet.worker(QUICK);
    const other = await placed(fleet);
    await until(async () => (await fleet.statusOf(other)) === "completed");
    expect(await fleet.statusOf(run)).toBe("underway");
    await careless.leave();
    mutants.clear();
    await fleet.worker(QUICK);
    expect(await fleet.allEnded([run])).toEqual(["completed"]);
  });

  it("hears an answer that came just as the worker of its run was lost", async () => {
    const fleet = await TestFleet.start();
    fleet.write("gate.yaml", GATE);
    const lost = await fleet.worker();
    const run = await fleet.place("gate.yaml");
    await until(async () => (await fleet.statusOf(run)) === "paused");
    await lost.leave();
    // The moment in which the worker had asked, and had not yet said that the drive is over.
    await fleet.sql("update segno.runs set drive_ended = false");
    const store = await openPostgresStore(fleet.url, { home: fleet.folder, sealKey: SEAL_KEY });
    const [gate] = await store.state.gates.pending(run);
    const answer = { kind: "gate", value: "yes", additional_input: {}, by: "cli", person: "somebody" };
    expect(await store.fleet.answer(run, gate!.key, { answer }, { request: {} })).toBe("ok");
    await store.close();
    await fleet.sql("update segno.runs set drive_ended = true");
    mutants.add("no-reconciler");
    const careless = await fleet.worker(QUICK);
    const other = await fleet.place("gate.yaml");
    await until(async () => (await fleet.statusOf(other)) === "paused");
    expect(await fleet.statusOf(run)).toBe("paused");
    await careless.leave();
    mutants.clear();
    await fleet.worker(QUICK);
    await until(async () => (await fleet.statusOf(run)) === "completed");
    expect(await fleet.json(["show", run])).toMatchObject({ output: { chosen: "yes" } });
    // Once: nobody is asked again for nothing.
    expect((await fleet.events(run)).filter(({ type }) => type === "run_resumed")).toHaveLength(1);
  });
});
