// Triggers on a fleet that is made of cells: each belongs to one cell, and a cell that is away takes only its own with it.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { readProject } from "../../../services/project/read-project.ts";
import { BackgroundRuns } from "../../../services/runs/background.ts";
import { storeFor } from "../../../services/session/store.ts";
import { realClock } from "../../../storage/clock.ts";
import type { RunStore } from "../../../storage/store.ts";
import { TriggerDriver } from "../../triggers/driver.ts";
import { hasPostgres } from "./cluster.ts";
import { type OwnCluster, ownCluster } from "./databases.ts";
import { QUICK, SEAL_KEY, TestFleet } from "./fleet.ts";

const NAMES = ["eu", "us", "ap"] as const;
type Cell = (typeof NAMES)[number];

const FLOW = `workflow: { name: flow, entry_point: note, input: { what: { type: string, default: "" } } }
agents: [{ name: note, type: set, value: "{{ workflow.input.what }}" }]
output: { what: "{{ note.output }}" }
`;

/** A name that the cell gets by hashing. */
function nameIn(cell: Cell): string {
  const weight = (name: string, trigger: string): bigint =>
    createHash("sha256").update(`${name}\nyard#${trigger}`).digest().readBigUInt64BE();
  for (let n = 0; ; n++) {
    const [first] = [...NAMES].sort((a, b) => (weight(a, `m${n}`) < weight(b, `m${n}`) ? 1 : -1));
    if (first === cell) return `m${n}`;
  }
}

describe.skipIf(!hasPostgres)("triggers of cells", () => {
  let clusters: ReadonlyMap<Cell, OwnCluster> = new Map();

  beforeAll(async () => {
    clusters = new Map(await Promise.all(NAMES.map(async (name) => [name, await ownCluster()] as const)));
  });

  afterAll(() => {
    for (const cluster of clusters.values()) cluster.close();
  });

  const databases = (): Promise<readonly (readonly [Cell, string])[]> =>
    Promise.all([...clusters].map(async ([name, cluster]) => [name, await cluster.database()] as const));

  async function yard(triggers: readonly string[], flow = FLOW) {
    const urls = await databases();
    const fleet = await TestFleet.start(urls.map(([name, url]) => `${name}=${url}`).join(" "));
    fleet.write("flow.yaml", flow);
    const write = (lines: readonly string[]): void =>
      void fleet.write("segno.yaml", `name: yard\ntriggers:\n${lines.map((line) => `  - ${line}\n`).join("")}`);
    write(triggers);
    expect(await fleet.segno(["trust", "--yes"])).toMatchObject({ code: 0 });
    return { fleet, write, urlOf: (cell: Cell): string => new Map(urls).get(cell)! };
  }

  /** While it runs, the cell is away. */
  async function without<Answer>(cell: Cell, work: () => Promise<Answer>): Promise<Answer> {
    clusters.get(cell)!.stop("immediate");
    try {
      return await work();
    } finally {
      clusters.get(cell)!.start();
    }
  }

  /** A driver by a clock that the test sets. */
  async function driverOf({ folder, url }: TestFleet) {
    const session = {
      cwd: folder,
      env: { PATH: process.env.PATH, SEGNO_SEAL_KEY: SEAL_KEY },
      home: folder,
      fleet: url,
    };
    const store = await storeFor(session);
    const { project } = readProject(`${folder}/segno.yaml`, {});
    const time = { now: Date.parse("2026-11-15T00:30:30Z") };
    const said: string[] = [];
    const driver = await TriggerDriver.open({
      project: project!,
      session,
      store,
      runs: new BackgroundRuns(),
      clock: { ...realClock, now: () => time.now },
      said: (sentence) => said.push(sentence),
    });
    onTestFinished(async () => {
      await driver.close();
      await store.close();
    });
    return {
      driver,
      store,
      said,
      async at(clock: string): Promise<number> {
        time.now = Date.parse(`2026-11-15T${clock}Z`);
        const began = performance.now();
        await driver.round();
        return performance.now() - began;
      },
    };
  }

  const momentsOf = async (store: RunStore, trigger: string) =>
    (await store.state.firings!.list({ trigger: `yard#${trigger}`, order: "oldest" })).map(
      ({ status, reason, body }) => [
        String((body.cause as { scheduled_at?: string }).scheduled_at).slice(11, 16),
        status,
        ...(status === "skipped" ? [reason] : []),
      ],
    );

  const every = (name: string, more = ""): string =>
    `{ name: ${name}, workflow: flow.yaml, schedule: "* * * * *", overlap: queue${more} }`;

  /** Not while a test runs. */
  const rarely = (name: string, more = ""): string => every(name, more).replace("* * * * *", "0 0 29 2 *");

  test("a trigger fires in its cell while the one of its name is away, and those of the other wait for it", async () => {
    const [moved, living] = [nameIn("us"), nameIn("eu")];
    const { fleet } = await yard([every(moved, ", cell: ap"), every(living), every("there", ", cell: us")]);
    const { at, store, said } = await driverOf(fleet);
    await at("00:30:30");
    await without("us", async () => {
      for (const time of ["00:31:00", "00:32:00"]) expect(await at(time)).toBeLessThan(6000);
      expect(await momentsOf(store, moved)).toEqual([
        ["00:31", "fired"],
        ["00:32", "fired"],
      ]);
      expect(await momentsOf(store, living)).toEqual([
        ["00:31", "fired"],
        ["00:32", "fired"],
      ]);
      // While it rests, no round waits for it.
      expect(await at("00:33:00")).toBeLessThan(1500);
      // The first of each; the others are queued behind it.
      expect((await store.runs()).map(({ cell }) => cell).sort()).toEqual(["ap", "eu"]);
      expect(said).toEqual([
        "The cell us does not answer: its runs wait until it is back, and so do its triggers: there.",
      ]);
    });
    await until(async () => {
      await at("00:34:00");
      return (await momentsOf(store, "there")).length === 4;
    });
    const skipped = "the cell us did not answer (catch_up: last)";
    expect(await momentsOf(store, "there")).toEqual([
      ["00:31", "skipped", skipped],
      ["00:32", "skipped", skipped],
      ["00:33", "fired"],
      ["00:34", "fired"],
    ]);
    expect((await momentsOf(store, moved)).length).toBe(4);
    expect(said.at(-1)).toBe("The cell us answers again.");
  });

  test("what another cell has of a trigger counts: no moment fires twice, and one that is paused stays so", async () => {
    const [name, still] = [nameIn("us"), `still-${nameIn("us")}`];
    const { fleet, write } = await yard([every(name, ", cell: us"), every(still, ", cell: us")]);
    const before = await driverOf(fleet);
    await before.at("00:30:30");
    await before.at("00:31:00");
    expect(await fleet.json(["triggers", "pause", still])).toMatchObject({ triggers: [{ paused: true }] });
    write([every(name, ", cell: ap"), every(still, ", cell: ap")]);
    expect(await fleet.segno(["trust", "--yes"])).toMatchObject({ code: 0 });
    const after = await driverOf(fleet);
    await after.at("00:31:10");
    expect(await momentsOf(after.store, name)).toEqual([["00:31", "fired"]]);
    await after.at("00:32:10");
    expect(await momentsOf(after.store, name)).toEqual([
      ["00:31", "fired"],
      ["00:32", "fired"],
    ]);
    expect(await fleet.json(["triggers", "list"])).toMatchObject({ triggers: [{ paused: false }, { paused: true }] });
    // And back again: what the other cell saw meanwhile is not caught up with.
    write([every(name, ", cell: us"), every(still, ", cell: us")]);
    expect(await fleet.segno(["trust", "--yes"])).toMatchObject({ code: 0 });
    const back = await driverOf(fleet);
    await back.at("00:32:20");
    expect((await momentsOf(back.store, name)).length).toBe(2);
  });

  test("a worker that starts while another cell is away drives the runs and triggers of its own, and says which is away", async () => {
    const { fleet } = await yard([rarely(nameIn("us")), rarely("there", ", cell: us"), rarely("here", ", cell: ap")]);
    await without("us", async () => {
      const worker = await fleet.workerProcess(QUICK, "--cell", "ap");
      // The last of what it says when it starts: then it has looked at all triggers.
      await until(() => worker.said().includes("It drives the 3 triggers of"));
      expect(await fleet.json(["triggers", "fire", "here"])).toMatchObject({ status: "completed" });
      expect(worker.said().match(/The cell us does not answer/g)).toEqual(["The cell us does not answer"]);
      expect(worker.child.exitCode).toBe(null);
    });
  });

  test("lists lack what is not known of a cell that is away, and a command on a trigger of it says so", async () => {
    const [away, living] = [nameIn("us"), nameIn("eu")];
    const { fleet } = await yard([rarely(away), rarely(living), rarely("moved", ", cell: ap")]);
    await fleet.workerProcess(QUICK, "--cell", "ap");
    expect(await fleet.json(["triggers", "fire", "moved"])).toMatchObject({ status: "completed" });
    await without("us", async () => {
      const list = await fleet.segno(["triggers", "list", "--output-format", "json"]);
      expect(list.stderr).toContain("the cell us did not answer: what it has is missing here");
      expect(JSON.parse(list.stdout)).toMatchObject({
        success: true,
        incomplete: { cells: ["us"] },
        triggers: [
          { name: away, cell: "us", paused: null, next_at: null, last: null },
          { name: living, cell: "eu", paused: false },
          { name: "moved", cell: "ap", paused: false, last: { status: "ended" } },
        ],
      });
      expect((await fleet.segno(["triggers", "list"])).stdout).toContain("not known: the cell us is away");
      expect(await fleet.json(["triggers", "history"])).toMatchObject({
        incomplete: { cells: ["us"] },
        firings: [{ trigger: "moved", status: "ended" }],
      });
      expect(await fleet.json(["triggers", "pause", living])).toMatchObject({ triggers: [{ paused: true }] });
      expect(await fleet.json(["triggers", "resume", living])).toMatchObject({ triggers: [{ paused: false }] });
      expect(await fleet.json(["triggers", "fire", "moved"])).toMatchObject({ status: "completed" });
      for (const command of ["show", "pause", "resume", "history", "fire"]) {
        const began = performance.now();
        expect(await fleet.json(["triggers", command, away])).toMatchObject({
          errors: [
            {
              message: `the trigger ${away} belongs to the cell us, which does not answer. Try again when it can be reached`,
            },
          ],
        });
        expect(performance.now() - began).toBeLessThan(6000);
      }
    });
  });

  test("a delivery whose workflow wants another cell is not taken", async () => {
    const hook = (name: string, cell: string): string =>
      `{ name: ${name}, workflow: flow.yaml, cell: "${cell}", inputs: { what: us }, webhook: { path: /hooks/${name}, secret: s-${name}, verify: token } }`;
    const { fleet } = await yard(
      [hook("eu", "eu"), hook("us", "us"), hook("any", "{{ trigger.body.cell }}")],
      FLOW.replace(" }\nagents", ', runtime: { cell: "{{ workflow.input.what }}" } }\nagents'),
    );
    const { driver, store } = await driverOf(fleet);
    const answers = async (name: string, cell = ""): Promise<unknown> =>
      (
        await driver.deliver({
          path: `/hooks/${name}`,
          headers: { authorization: `Bearer s-${name}` },
          body: Buffer.from(JSON.stringify({ cell })),
        })
      ).status;
    expect(await answers("eu")).toBe(503);
    expect(await answers("us")).toBe(202);
    expect(await answers("any", "eu")).toBe(422);
    expect(await answers("any", "mars")).toBe(422);
    expect(await answers("any", "us")).toBe(202);
    const [refused] = await store.state.firings!.list({ trigger: "yard#eu" });
    expect(refused).toMatchObject({
      status: "failed",
      reason:
        "flow.yaml cannot be run: it wants the cell us, and its trigger fires in eu. Give the trigger the same `cell`",
    });
    await without("us", async () => expect(await answers("us")).toBe(503));
  });
});
