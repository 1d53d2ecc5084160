// A worker that leaves, told by a signal or by `segno workers drain`: it begins nothing more, what runs may end, and the
// others go on at once.
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startApi } from "../../../../test/resilience/api.ts";
import { until } from "../../../../test/support/until.ts";
import type { LettersAnswer } from "../../../services/dead-letters/letters.ts";
import { runWorkflow } from "../../../services/runs/run.ts";
import { postgresWorkers } from "../postgres/queue/worker.ts";
import { openPostgresStore } from "../postgres/store.ts";
import { Drives } from "../work/drives.ts";
import { workerSettings } from "../work/workers.ts";
import { hasPostgres } from "./cluster.ts";
import { faultsOf, TestFleet } from "./fleet.ts";
import type { WorkerProcess } from "./workers.ts";

/** Each item notes which worker ran it. */
const item = (then: string): string =>
  `{ name: item, type: script, command: sh, args: [-c, 'echo "$2 $1 $WHO" >> log; ${then}', sh, "{{ n }}", "{{ workflow.input.id }}"] }`;

/** Its first items wait until the test goes on. */
const group = (more: string, then = "until test -e go; do sleep 0.1; done; sleep 0.3"): string => `
workflow: { name: group, entry_point: each, runtime: { affinity: any }, input: { id: { type: string }, all: { type: array, default: [1, 2, 3, 4, 5, 6, 7, 8] } } }
for_each:
  - name: each
    type: for_each
    source: workflow.input.all
    as: n
    max_concurrent: 2
    ${more}
    agent: ${item(then)}
`;

const FILES = {
  "in a group": group("failure_mode: fail_fast"),
  "in a group that is spread": group("spread: true"),
  "in a sub-workflow": `
workflow: { name: outer, entry_point: call, input: { id: { type: string } } }
agents:
  - { name: call, type: workflow, workflow: ./group.yaml, input_mapping: { id: "{{ workflow.input.id }}" } }
`,
  "that waits to try again": `
workflow: { name: waiting, entry_point: each, input: { id: { type: string }, all: { type: array, default: [1, 2] } } }
for_each:
  - name: each
    type: for_each
    source: workflow.input.all
    as: n
    agent:
      name: item
      type: script
      command: sh
      args: [-c, 'echo "$2 $1 $WHO" >> log; test -e go || exit 75', sh, "{{ n }}", "{{ workflow.input.id }}"]
      routes: [{ on_error: "*", retry: { max: 2, initial_seconds: 600, max_seconds: 600 } }]
`,
};

/** One item after the other. */
const fragile = (url: string): string => `
workflow: { name: fragile, entry_point: each, resilience: { dead_letter: true } }
for_each:
  - name: each
    type: for_each
    source: "{{ [0, 1, 2, 3] }}"
    as: n
    max_concurrent: 1
    failure_mode: continue_on_error
    agent: { name: item, type: http, url: "${url}/{{ n }}", timeout: 20 }
output: { count: "{{ each.outputs | length }}" }
`;

/** It keeps a run that waits for as long as that takes. */
const HOLDS = { SEGNO_HELD_WAIT_SECONDS: "600" };

const WAYS = {
  drain: async (fleet: TestFleet) => {
    await fleet.json(["workers", "drain", "leaving"]);
  },
  SIGTERM: (_: TestFleet, worker: WorkerProcess) => {
    worker.child.kill("SIGTERM");
  },
};

const CASES: readonly (readonly [keyof typeof FILES, keyof typeof WAYS])[] = [
  ["in a group", "drain"],
  ["in a group that is spread", "SIGTERM"],
  ["in a sub-workflow", "drain"],
  ["that waits to try again", "drain"],
];

/** Runs until the test goes on. */
const LONG = `sh, args: [-c, "echo begun >> log; until test -e go; do sleep 0.05; done; echo ended >> log"]`;

/** Work of a drive that is no step. */
const BESIDE_STEPS = {
  hook: `
workflow: { name: hooked, entry_point: first, hooks: { on_start: { command: ${LONG} } } }
agents: [{ name: first, type: script, command: sh, args: [-c, "echo stepped >> log"] }]
`,
  escalation: `
workflow: { name: escalated, entry_point: first, resilience: { escalate: { command: ${LONG} } } }
agents: [{ name: first, type: script, command: no-such-command }]
`,
};

/** The drives of a worker, in this process. */
async function drivesHere({ url, folder }: TestFleet, name: string) {
  const here = { cwd: folder, env: { PATH: process.env.PATH ?? "" }, home: join(folder, name) };
  const store = await openPostgresStore(url, { home: here.home, worker: { name, concurrency: 1, protocol: "1" } });
  onTestFinished(() => store.close());
  await store.access.members.self();
  const drives = new Drives(postgresWorkers, workerSettings({}), here, () => {});
  return { here, drives, drive: (runId: string, nth: number) => drives.drive(store, runId, nth) };
}

describe.skipIf(!hasPostgres)("a worker that leaves", () => {
  it.each(CASES)("hands over a run %s (%s)", async (what, how) => {
    const fleet = await TestFleet.withClock();
    const file = fleet.write("file.yaml", FILES[what]);
    fleet.write("group.yaml", group("failure_mode: fail_fast"));
    const leaving = await fleet.workerProcess({ WHO: "leaving", ...HOLDS }, "--id", "leaving");
    // A share of a spread group is given to those that are there when it begins.
    const isSpread = what === "in a group that is spread";
    if (isSpread) await fleet.worker({ WHO: "staying" }, { id: "staying" });
    const ids = ["a", "b"];
    const runs = await Promise.all(ids.map((id) => fleet.place(file, "-i", `id=${id}`)));
    const begun = (id: string) => fleet.lines("log").filter((line) => line.startsWith(`${id} `)).length;
    await until(() => ids.every((id) => begun(id) >= 2));
    if (!isSpread) await fleet.worker({ WHO: "staying" }, { id: "staying" });
    await WAYS[how](fleet, leaving);
    fleet.write("go", "");
    expect(await leaving.ended).toBe(0);
    expect(leaving.said()).not.toContain("still in a step");
    if (what === "that waits to try again") await fleet.later(700);
    expect(await fleet.allEnded(runs)).toEqual(["completed", "completed"]);
    for (const run of runs) expect(faultsOf(await fleet.events(run))).toEqual([]);
    expect(fleet.lines("log").some((line) => line.endsWith(" staying"))).toBe(true);
    // It did not wait with a run that only waits for its time.
    if (what === "that waits to try again")
      expect(fleet.lines("log").filter((line) => line.endsWith(" leaving"))).toHaveLength(4);
    // What the leaving one did not begin any more was not recorded as begun.
    if (what === "in a group" || what === "in a sub-workflow")
      for (const run of runs)
        expect(
          (await fleet.events(run)).flatMap(({ type, data }) =>
            type === "agent_completed" && data.agent_name === "item" ? [data.attempt] : [],
          ),
        ).toEqual(Array(8).fill(1));
    // Nobody's item was cut off and run again: two runs of 8 items, or of 2 that are tried twice.
    expect(fleet.lines("log")).toHaveLength(what === "that waits to try again" ? 8 : 16);
  });

  it.each([
    ["hook", ["begun", "ended", "stepped"]],
    ["escalation", ["begun", "ended"]],
  ] as const)("lets a command of its drive end that is no step: %s", async (what, log) => {
    const fleet = await TestFleet.start();
    const [leaving, staying] = [await drivesHere(fleet, "leaving"), await drivesHere(fleet, "staying")];
    const file = fleet.write("file.yaml", BESIDE_STEPS[what]);
    const placed = await runWorkflow({ ...leaving.here, fleet: fleet.url }, { file, inputs: {} }, { detach: true });
    const runId = placed.run_id ?? "";
    const first = leaving.drive(runId, 1);
    await until(() => fleet.lines("log").length === 1);
    const left = leaving.drives.handOver(30_000, Promise.resolve());
    // By now a drive in which no work is seen would have been left.
    const handedOver = performance.now();
    await until(() => performance.now() - handedOver > 300);
    fleet.write("go", "");
    await first;
    expect(await left).toBe(0);
    if (what === "hook") await staying.drive(runId, 2);
    expect(fleet.lines("log")).toEqual(log);
    expect(await fleet.statusOf(runId)).toBe(what === "hook" ? "completed" : "failed");
  });

  it("holds no run whose group only waits for its time", async () => {
    const fleet = await TestFleet.withClock();
    const file = fleet.write("file.yaml", FILES["that waits to try again"]);
    await fleet.worker({ WHO: "waiting", SEGNO_HELD_WAIT_SECONDS: "1" });
    const run = await fleet.place(file, "-i", "id=a");
    await until(async () => (await fleet.sql("select 1 from dbos.workflow_status where status = 'DELAYED'")).length);
    expect((await fleet.json<{ queue: object }>(["workers"])).queue).toMatchObject({ delayed: 1 });
    fleet.write("go", "");
    await fleet.later(700);
    expect(await fleet.allEnded([run])).toEqual(["completed"]);
    expect(fleet.lines("log")).toHaveLength(4);
  });

  it("leaves letters to the next one that it was to try again and has not come to", async () => {
    const api = await startApi({ failsAfter: 1 });
    const fleet = await TestFleet.start();
    fleet.write("fragile.yaml", fragile(api.url));
    const leaving = await fleet.workerProcess();
    const { run_id, status } = await fleet.json(["run", "fragile.yaml"]);
    const run = run_id ?? "";
    expect(status).toBe("degraded");
    // From now on it is up, whatever it served.
    Object.defineProperty(api, "isUp", { get: () => true, set: () => {} });
    api.hold();
    const retrying = fleet.follow(["dlq", "retry", "--run", run]);
    const calls = async () => (await fleet.events(run)).filter(({ type }) => type === "http_started");
    await until(async () => (await calls()).length === 5);
    await fleet.worker();
    leaving.child.kill("SIGTERM");
    await until(() => leaving.said().includes("Leaving"));
    api.release();
    expect(await retrying.ended).toBe(0);
    const { letters } = await fleet.json<LettersAnswer>(["dlq", "list", "--all"]);
    expect(letters.map((letter) => letter.status)).toEqual(["resolved", "resolved", "resolved"]);
    expect([...api.served.values()]).toEqual([1, 1, 1, 1]);
    expect(await fleet.json(["show", run])).toMatchObject({ status: "completed", output: { count: 4 } });
    expect((await fleet.events(run)).filter(({ type }) => type === "run_resumed")).toHaveLength(2);
  });
});
