// A fleet without a key, and somebody who has one: neither takes anything from the other.
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { readProject } from "../../../services/project/read-project.ts";
import { BackgroundRuns } from "../../../services/runs/background.ts";
import type { RunsAnswer } from "../../../services/runs/runs.ts";
import { realClock } from "../../../storage/clock.ts";
import { newRunId } from "../../../storage/run-index.ts";
import { TriggerDriver } from "../../triggers/driver.ts";
import type { HistoryAnswer } from "../../triggers/index.ts";
import { openPostgresStore } from "../postgres/store.ts";
import { cluster, freshDatabase, hasPostgres } from "./cluster.ts";
import { SEAL_KEY, TestFleet } from "./fleet.ts";

const WITHOUT_KEY = { SEGNO_SEAL_KEY: "" };

const HELD = `
workflow: { name: held, entry_point: a }
agents:
  - { name: a, type: script, command: sh, args: [-c, 'until test -e go; do sleep 0.1; done'] }
`;
const NOTE = "workflow: { name: note, entry_point: a }\nagents: [{ name: a, type: set, value: 1 }]\n";

async function place(fleet: TestFleet, file: string): Promise<string> {
  const { run_id, error } = await fleet.json(["run", file, "--detach"], WITHOUT_KEY);
  if (run_id === null) throw new Error(error ?? "the run was not placed");
  return run_id;
}

describe.skipIf(!hasPostgres)("a fleet without a key", () => {
  it("keeps its runs when a worker with a key comes, which says once that it leaves them to the others", async () => {
    const fleet = await TestFleet.start();
    fleet.write("held.yaml", HELD);
    const first = await fleet.workerProcess(WITHOUT_KEY, "--concurrency", "1");
    const runs = [await place(fleet, "held.yaml")];
    await until(async () => (await fleet.json<RunsAnswer>(["runs"], WITHOUT_KEY)).runs[0]?.status === "running");
    runs.push(await place(fleet, "held.yaml"), await place(fleet, "held.yaml"));
    const keyed = await fleet.worker();
    const [, second, third] = runs;
    for (const run of [second, third]) await until(() => keyed.said().includes(`Run ${run} is left to other workers.`));
    const drives = async () => (await fleet.sql(`select drive from segno.runs where run_id = '${third}'`))[0]?.drive;
    await until(async () => {
      await fleet.hurry();
      return Number(await drives()) >= 3;
    });
    expect(keyed.said().match(new RegExp(`Run ${third} is left`, "g"))).toHaveLength(1);
    for (const env of [WITHOUT_KEY, {}]) {
      const listed = (await fleet.json<RunsAnswer>(["runs"], env)).runs.find(({ run_id }) => run_id === third);
      expect(listed).toMatchObject({
        status: "queued",
        waits_because: "not every worker that is there takes what is not sealed",
      });
    }
    expect(await fleet.json(["show", third ?? ""], WITHOUT_KEY)).toMatchObject({
      status: "queued",
      error: null,
      warnings: [{ message: expect.stringContaining("has a SEGNO_SEAL_KEY and uses nothing that is not sealed") }],
    });
    // The clients of the others place as before, and what they place is driven.
    fleet.write("note.yaml", NOTE);
    const more = await place(fleet, "note.yaml");
    fleet.write("go", "");
    expect(await fleet.allEnded([...runs, more])).toEqual(Array(4).fill("completed"));
    await first.leave();
    await keyed.leave();
  });

  it("says of a run that every worker that is there has a key, and what to do", async () => {
    const fleet = await TestFleet.start();
    fleet.write("note.yaml", NOTE);
    const run = await place(fleet, "note.yaml");
    const keyed = await fleet.worker();
    await until(() => keyed.said().includes(`Run ${run} is left to other workers.`));
    for (const env of [WITHOUT_KEY, {}])
      expect((await fleet.json<RunsAnswer>(["runs"], env)).runs).toMatchObject([
        { status: "queued", waits_because: "it is not sealed, and every worker that is there has a key" },
      ]);
    const { status, warnings } = await fleet.json(["show", run], WITHOUT_KEY);
    expect(status).toBe("queued");
    expect(warnings[0]?.message).toMatch(/Start a worker without SEGNO_SEAL_KEY/);
    await fleet.workerProcess(WITHOUT_KEY);
    expect(await fleet.allEnded([run])).toEqual(["completed"]);
  });

  it("lets schedules say why they could not fire, and never that no server was up", async () => {
    const fleet = await TestFleet.start();
    fleet.write("note.yaml", NOTE);
    fleet.write(
      "segno.yaml",
      'name: yard\ntriggers: [{ name: hourly, workflow: note.yaml, schedule: "@hourly", catch_up: none }]\n',
    );
    await fleet.worker(WITHOUT_KEY);
    let now = Date.parse("2026-11-15T00:30:00Z");
    const said: string[] = [];
    const { project } = readProject(join(fleet.folder, "segno.yaml"), {});
    const driver = async (env: { readonly SEGNO_SEAL_KEY?: string }) =>
      TriggerDriver.open({
        project: project!,
        session: { cwd: fleet.folder, env, home: join(fleet.folder, "home"), fleet: fleet.url },
        clock: { ...realClock, now: () => now },
        runs: new BackgroundRuns(),
        said: (text) => said.push(text),
      });
    const keyed = await driver({ SEGNO_SEAL_KEY: SEAL_KEY });
    await keyed.round();
    now = Date.parse("2026-11-15T01:00:00Z");
    const stop = new AbortController();
    const going = keyed.run(stop.signal);
    await until(() => said.length > 0);
    stop.abort();
    await going;
    await keyed.close();
    expect(said).toEqual([expect.stringMatching(/^Triggers cannot be fired from here\. This fleet has no key/)]);
    const history = ["triggers", "history"];
    const { warnings } = await fleet.json(history, WITHOUT_KEY);
    expect(warnings[0]?.message).toMatch(/^The trigger hourly cannot be fired\. This fleet has no key/);
    expect((await fleet.segno(history, WITHOUT_KEY)).stdout).toContain("The trigger hourly cannot be fired.");
    now = Date.parse("2026-11-15T01:30:00Z");
    const plain = await driver({});
    await plain.round();
    await plain.close();
    const { firings } = await fleet.json<HistoryAnswer>(history, WITHOUT_KEY);
    expect(firings).toMatchObject([
      {
        status: "skipped",
        reason: expect.stringMatching(/^no server was up that could fire it \(This fleet has no key/),
      },
    ]);
    expect((await fleet.json(history, WITHOUT_KEY)).warnings).toEqual([]);
  });

  it("keeps no secret input in plain text, and yet remembers what a step's output showed to be one", async () => {
    const store = await openPostgresStore(await freshDatabase(), { home: "/nonexistent" });
    onTestFinished(() => store.close());
    const run = await store.createRun({ runId: newRunId(), workflow: "w", file: "/w.yaml", durability: "process" });
    await expect((async () => run.saveSecrets({ pin: "4711" }))()).rejects.toThrow("SEGNO_SEAL_KEY is not set");
    await run.keepMet({ secrets: ["tok-abcdef"], shortSecrets: [] });
    expect(await run.secrets()).toEqual({});
    expect(await run.seenSecrets()).toEqual({ secrets: ["tok-abcdef"], shortSecrets: [] });
  });

  it("drives its triggers beside what somebody with a key has fired", async () => {
    const url = await freshDatabase();
    const open = async (sealKey?: string) => {
      const store = await openPostgresStore(url, { home: "/nonexistent", ...(sealKey ? { sealKey } : {}) });
      onTestFinished(() => store.close());
      return store.state.firings;
    };
    const [plain, keyed] = [await open(), await open(SEAL_KEY)];
    const firing = { trigger: "hook", at: 1, depth: 0, marks: [{ name: "the same" }], body: { secret: "x" } };
    const runId = newRunId();
    await keyed?.record({ ...firing, runId });
    expect(await plain?.list({ status: "fired" })).toEqual([]);
    expect(await plain?.record({ ...firing, runId: newRunId() })).toMatchObject({
      isNew: false,
      firing: { runId, body: {} },
    });
  });

  it("takes nothing from who has a key, and goes on for the others, until a worker with that key is there", async () => {
    const fleet = await TestFleet.start();
    fleet.write("note.yaml", NOTE);
    const { sql } = await cluster();
    const isRefused = async () => {
      const { success, run_id, error } = await fleet.json(["run", "note.yaml", "--detach"]);
      expect({ success, run_id }).toEqual({ success: false, run_id: null });
      expect(error).toMatch(/^This fleet has no key, and SEGNO_SEAL_KEY is set here.* Nothing was placed\./);
    };
    const worker = await fleet.worker(WITHOUT_KEY);
    await isRefused();
    expect(await sql("select 1 from segno.runs", fleet.url)).toEqual([]);
    expect(await fleet.allEnded([await place(fleet, "note.yaml")])).toEqual(["completed"]);
    await worker.leave();
    await isRefused();
    // The way to a key: workers that have it, and then whoever places.
    const keyed = await fleet.worker();
    expect(await fleet.json(["run", "note.yaml"])).toMatchObject({ status: "completed" });
    // One that is sealed shuts nobody out where the workers have no key.
    await keyed.leave();
    await fleet.worker(WITHOUT_KEY);
    expect(await fleet.allEnded([await place(fleet, "note.yaml")])).toEqual(["completed"]);
  });
});
