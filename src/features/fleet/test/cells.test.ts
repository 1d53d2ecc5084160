// A fleet that is made of cells: three Postgres, each with a worker of its own, as one place to run workflows.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Served } from "../../../../test/support/served.ts";
import { until } from "../../../../test/support/until.ts";
import type { RunsAnswer } from "../../../services/runs/runs.ts";
import type { WorkersAnswer } from "../work/workers.ts";
import { hasPostgres } from "./cluster.ts";
import { type OwnCluster, ownCluster } from "./databases.ts";
import { QUICK, SEAL_KEY, TestFleet } from "./fleet.ts";
import type { WorkerProcess } from "./workers.ts";

const NAMES = ["eu", "us", "asia"] as const;

const FLOW = `workflow:
  name: tenant
  entry_point: first
  input: { region: { type: string, default: "" }, n: { type: number, default: 0 } }
  runtime: { cell: "{{ workflow.input.region }}" }
steps:
  - { name: first, type: script, command: sh, args: [-c, "echo {{ workflow.input.n }} >> done.txt; sleep 0.05"], routes: [{ to: second }] }
  - { name: second, type: script, command: sh, args: [-c, "echo {{ workflow.input.n }} >> second.txt"], routes: [{ to: $end }] }
output: { n: "{{ workflow.input.n }}" }
`;

const ASKING = `workflow: { name: asking, entry_point: ask }
steps:
  - { name: ask, type: human_gate, prompt: "Go on?", options: [{ label: "Yes", value: "yes", route: $end }] }
output: { said: "{{ ask.output.selected }}" }
`;

describe.skipIf(!hasPostgres)("a fleet of cells", () => {
  let clusters: readonly OwnCluster[] = [];

  beforeAll(async () => {
    clusters = await Promise.all(NAMES.map(() => ownCluster()));
  });

  afterAll(() => {
    for (const cluster of clusters) cluster.close();
  });

  async function fleetOfCells(): Promise<TestFleet> {
    const databases = await Promise.all(clusters.map((cluster) => cluster.database()));
    const fleet = await TestFleet.start(NAMES.map((name, at) => `${name}=${databases[at]}`).join(" "));
    fleet.write("flow.yaml", FLOW);
    fleet.write("asking.yaml", ASKING);
    return fleet;
  }

  const worker = (fleet: TestFleet, cell: string): Promise<WorkerProcess> =>
    fleet.workerProcess(QUICK, "--cell", cell, "--id", `of-${cell}`);

  const listed = async (fleet: TestFleet) => (await fleet.json<RunsAnswer>(["runs", "--limit", "1000"])).runs;

  const ended = async (fleet: TestFleet, count: number): Promise<RunsAnswer["runs"]> => {
    let runs: RunsAnswer["runs"] = [];
    await until(async () => {
      runs = await listed(fleet);
      return runs.filter(({ ended_at }) => ended_at !== null).length >= count;
    });
    return runs;
  };

  test("runs go where their file says, else everywhere; lists, workers and answers are those of all cells", async () => {
    const fleet = await fleetOfCells();
    for (const name of NAMES) await worker(fleet, name);

    const own = await fleet.json(["run", "flow.yaml", "-i", "region=us", "-i", "n=1"]);
    expect(own).toMatchObject({ status: "completed", output: { n: 1 } });
    // Its id decides where a run goes: 60 over three cells leave one out once in 10 ¹⁰ times.
    let placed = 1;
    do await fleet.place("flow.yaml", "-i", `n=${++placed}`);
    while (new Set((await listed(fleet)).map(({ cell }) => cell)).size < NAMES.length && placed < 60);
    const runs = await ended(fleet, placed);
    expect(runs.map(({ run_id }) => run_id)).toEqual(
      runs
        .map(({ run_id }) => run_id)
        .sort()
        .reverse(),
    );
    expect(runs.find(({ run_id }) => run_id === own.run_id)).toMatchObject({ cell: "us" });
    expect(new Set(runs.map(({ cell }) => cell))).toEqual(new Set(NAMES));
    expect(runs.map(({ status }) => status)).toEqual(runs.map(() => "completed"));

    const { workers } = await fleet.json<WorkersAnswer>(["workers"]);
    expect(workers.map(({ id, cell }) => `${id.split(":")[0]} ${cell}`).sort()).toEqual(
      NAMES.map((name) => `of-${name} ${name}`).sort(),
    );

    const asking = await fleet.place("asking.yaml");
    await until(async () => (await fleet.json<{ gates: unknown[] }>(["gate", "list"])).gates.length === 1);
    const cellOfAsking = (await listed(fleet)).find(({ run_id }) => run_id === asking)?.cell;
    expect(await fleet.json(["gate", "list"])).toMatchObject({ gates: [{ run_id: asking, cell: cellOfAsking }] });
    expect((await fleet.segno(["gate", "list"])).stdout).toContain(`run ${asking} · cell ${cellOfAsking} · asked`);
    expect(await fleet.json(["gate", "answer", asking, "yes"])).toMatchObject({ status: "completed" });
    // By a part of its id, from a process that has not seen it before.
    expect(await fleet.json(["show", asking.slice(-8)])).toMatchObject({ run_id: asking, output: { said: "yes" } });

    const wrong = await fleet.json(["run", "flow.yaml", "-i", "region=mars"]);
    expect(wrong.errors[0]?.message).toBe("There is no cell mars; there are eu, us, asia.");
  });

  test("a cell that is away takes no run and is missing from lists by name; when it is back, nothing of it is lost", async () => {
    const fleet = await fleetOfCells();
    const [, us] = clusters;
    const there = await fleet.place("flow.yaml", "-i", "region=us", "-i", "n=1");
    us!.stop("immediate");
    try {
      const placed = await Promise.all(
        Array.from({ length: 8 }, (_, n) => fleet.place("flow.yaml", "-i", `n=${n + 2}`)),
      );
      const list = await fleet.segno(["runs", "--output-format", "json"]);
      expect(list.stderr).toContain("the cell us did not answer: what it has is missing here");
      const { runs, incomplete } = JSON.parse(list.stdout) as RunsAnswer;
      expect(incomplete).toEqual({ cells: ["us"] });
      expect(await fleet.json(["gate", "list"])).toMatchObject({ gates: [], incomplete: { cells: ["us"] } });
      expect(await fleet.json(["workers"])).toMatchObject({ incomplete: { cells: ["us"] } });
      const env = { PATH: process.env.PATH, SEGNO_SEAL_KEY: SEAL_KEY };
      const page = await Served.start({}, {}, () => ({ fleet: fleet.url, env }));
      onTestFinished(() => page.close());
      expect((await page.get("/api/runs")).body).toMatchObject({ incomplete: { cells: ["us"] } });
      expect(runs.map(({ run_id }) => run_id).sort()).toEqual([...placed].sort());
      expect(runs.map(({ cell }) => cell)).not.toContain("us");
      // It is not said to be unknown: it may be in the one that is away.
      const lost = await fleet.json(["show", there]);
      expect(lost.errors[0]?.message).toContain("the cell us does not answer");
    } finally {
      us!.start();
    }
    for (const name of NAMES) await worker(fleet, name);
    const runs = await ended(fleet, 9);
    expect(runs.find(({ run_id }) => run_id === there)).toMatchObject({ status: "completed", cell: "us" });
    expect(fleet.lines("second.txt").length).toBe(9);
  });

  test("a trigger's runs are in its cell, whoever fires it", async () => {
    const fleet = await fleetOfCells();
    const [eu, us] = fleet.url.split(" ").map((cell) => cell.slice(cell.indexOf("=") + 1));
    fleet.write(
      "segno.yaml",
      `name: yard
on: { eu: "${eu}", us: { address: "${us}" } }
triggers:
  - { name: nightly, workflow: flow.yaml, schedule: "@daily", cell: us, inputs: { n: 7 } }
  - { name: weekly, workflow: flow.yaml, schedule: "@weekly", inputs: { n: 8 } }
`,
    );
    const alone = { SEGNO_ON: "" };
    expect(await fleet.segno(["trust", "--yes"], alone)).toMatchObject({ code: 0 });
    for (const cell of ["eu", "us"]) await fleet.workerProcess({ ...QUICK, ...alone }, "--cell", cell);
    for (const name of ["nightly", "weekly"])
      expect(await fleet.segno(["triggers", "fire", name], alone)).toMatchObject({ code: 0 });
    await until(async () => fleet.lines("second.txt").length === 2);
    const { runs } = await fleet.json<RunsAnswer>(["runs"], alone);
    expect(runs.length).toBe(2);
    const { firings } = await fleet.json<{ firings: { run_id: string }[] }>(["triggers", "history", "nightly"], alone);
    expect(runs.find(({ run_id }) => run_id === firings[0]?.run_id)).toMatchObject({ cell: "us" });
  });

  test("workers are killed and a cell is restarted: no run is lost, and none is run twice", async () => {
    const fleet = await fleetOfCells();
    const COUNT = Number(process.env.SEGNO_CELL_RUNS ?? 30);
    const workers = new Map<string, WorkerProcess>();
    for (const name of NAMES) workers.set(name, await worker(fleet, name));
    for (let n = 0; n < COUNT; n++) {
      await fleet.place("flow.yaml", "-i", `n=${n}`);
      if (n % 10 === 5) {
        const name = NAMES[((n / 5) % NAMES.length) | 0]!;
        await workers.get(name)!.kill();
        workers.set(name, await worker(fleet, name));
      }
      if (n % 30 === 18) {
        clusters[2]!.stop("immediate");
        clusters[2]!.start();
      }
    }
    const runs = await ended(fleet, COUNT);
    expect(runs.map(({ status }) => status)).toEqual(runs.map(() => "completed"));
    expect(runs.length).toBe(COUNT);
    // A step that was under way at a kill runs again, as it should; what was recorded does not.
    expect(new Set(fleet.lines("second.txt")).size).toBe(COUNT);
  });
});
