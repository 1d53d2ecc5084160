// Runs that wait for a worker which has what they need: whoever looks at them is told so, until one has taken them up.
import { describe, expect, it } from "vitest";
import { until } from "../../../../test/support/until.ts";
import type { DoctorAnswer } from "../../../services/doctor/index.ts";
import type { ExplainAnswer } from "../../../services/explain/index.ts";
import type { RunsAnswer } from "../../../services/runs/runs.ts";
import type { WorkersAnswer } from "../work/workers.ts";
import { hasPostgres } from "./cluster.ts";
import { TestFleet } from "./fleet.ts";

const PLUGIN = `
import { defineStep, succeeded } from "segno";
export const shout = defineStep({ type: "shout", description: "says it louder", schema: { type: "object" }, execute: () => succeeded("HELLO") });
`;

const SHOUTS = `
workflow: { name: shouts, entry_point: greet }
agents:
  - { name: greet, type: shout, routes: [{ to: rest }] }
  - { name: rest, type: wait, duration: 1h }
`;

const PUT_OFF = "select 1 from dbos.workflow_status where status = 'DELAYED' and queue_name = 'segno-drives'";

describe.skipIf(!hasPostgres)("a run that no worker has the plugins for", () => {
  it("says so to whoever lists, shows or follows it, and no more when a worker has taken it up", async () => {
    const fleet = await TestFleet.start();
    const env = { HOME: fleet.folder };
    fleet.write("segno.yaml", "plugins: [./plugins.mjs]\n");
    fleet.write("plugins.mjs", PLUGIN);
    fleet.write("shouts.yaml", SHOUTS);
    expect((await fleet.segno(["trust", "--yes"], env)).code).toBe(0);
    // It stands in the same folder, and nobody has told it that the project is trusted.
    await fleet.worker({ HOME: fleet.elsewhere().folder }, { id: "bare" });
    const { run_id: placed } = await fleet.program.json(["run", "shouts.yaml", "--detach"], env);
    const run = placed ?? "";
    expect(run).not.toBe("");
    const listed = async () => (await fleet.json<RunsAnswer>(["runs"])).runs.find(({ run_id }) => run_id === run);
    const why = await until(async () => (await listed())?.waits_because);
    expect(why).toBe("no worker that is there has its plugins");
    const sentence =
      /^No worker that is there can take the run: bare, which was started in .*, has not loaded its plugins \(There is no step type `shout`\)\. Start a worker in the project's folder, .*; the run waits for it\.$/;
    const warned = await until(async () => {
      const { warnings } = await fleet.json(["show", run]);
      return warnings[0]?.message;
    });
    expect(warned).toMatch(sentence);
    // It is of the workflow's file, and stands in the database as that does.
    const sql = async (text: string) => fleet.sql(text);
    expect(await sql("select kind, left(data, 7) as data from segno.lacks")).toEqual([
      { kind: "plugins", data: "sealed:" },
    ]);
    const another = fleet.program.follow(["run", "shouts.yaml"], env);
    await until(() => another.said().includes("No worker that is there can take the run: bare"));

    // Put off for some seconds, they wait for a worker all the same, and as long as they have.
    await sql("update segno.runs set placed_at = placed_at - interval '1 hour'");
    await until(async () => (await sql(PUT_OFF)).length === 2);
    await sql(
      "update dbos.workflow_status set delay_until_epoch_ms = delay_until_epoch_ms + 60000 where status = 'DELAYED'",
    );
    const [{ queue }, explained, { checks }] = await Promise.all([
      fleet.json<WorkersAnswer>(["workers"]),
      fleet.json<ExplainAnswer>(["explain", run]),
      fleet.json<DoctorAnswer>(["doctor"]),
    ]);
    expect(queue).toMatchObject({ waiting: 2, delayed: 0 });
    expect(queue.oldest_ms).toBeGreaterThan(3_600_000);
    expect(explained.run?.headline).toMatch(sentence);
    expect(checks.find(({ name }) => name === "fleet.workers")).toMatchObject({
      ok: false,
      message: expect.stringMatching(
        /^1 is there; 2 runs wait, the oldest for 3\d\d\d s: no worker that is there has its plugins/,
      ),
    });
    await sql("update dbos.workflow_status set delay_until_epoch_ms = 0 where status = 'DELAYED'");

    await fleet.workerProcess({ ...env, SEGNO_HELD_WAIT_SECONDS: "1" }, "--id", "able");
    // Taken up, they wait for their time: nobody has them, and that is no matter of plugins.
    const resting = "select 1 from segno.runs where left_because = 'waiting'";
    await until(async () => (await sql(resting)).length === 2);
    expect((await listed())?.waits_because).toBeUndefined();
    expect((await fleet.json(["show", run])).warnings).toEqual([]);
    expect((await fleet.json<WorkersAnswer>(["workers"])).queue).toEqual({ waiting: 0, delayed: 2, oldest_ms: null });
    expect((await fleet.json<ExplainAnswer>(["explain", run])).run?.headline).toMatch(/^It waits until /);
  });
});
