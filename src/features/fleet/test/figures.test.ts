// Names, inputs and figures of runs on a fleet: written by who places and who drives a run, and sealed with it.
import { describe, expect, it } from "vitest";
import type { RunsAnswer } from "../../../services/runs/runs.ts";
import type { StatsAnswer } from "../../../services/runs/stats.ts";
import { hasPostgres } from "./cluster.ts";
import { TestFleet } from "./fleet.ts";

const WITHOUT_KEY = { SEGNO_SEAL_KEY: "" };

const FLOW = `
workflow: { name: ship, entry_point: check, run_name: "to {{ workflow.input.customer }}", input: { customer: { type: string } } }
steps:
  - name: check
    type: script
    command: "false"
    raises: []
    routes: [{ to: $end }, { on_error: internal.script_error, to: note }]
  - { name: note, type: set, value: noted }
`;

describe.skipIf(!hasPostgres)("runs of a fleet", () => {
  it("have names and figures for who has the key, and are counted for who has none", async () => {
    const fleet = await TestFleet.start();
    fleet.write("ship.yaml", FLOW);
    await fleet.worker();
    await fleet.json(["run", "ship.yaml", "-i", "customer=acme"]);
    await fleet.json(["run", "ship.yaml", "-i", "customer=other", "--name", "by hand"]);
    const { runs } = await fleet.json<RunsAnswer>(["runs"]);
    expect(runs.map(({ name }) => name)).toEqual(["by hand", "to acme"]);
    const found = await fleet.json<RunsAnswer>(["runs", "--input", "customer=acme"]);
    expect(found.runs).toMatchObject([{ name: "to acme" }]);
    const { workflows } = await fleet.json<StatsAnswer>(["stats", "ship.yaml"]);
    expect(workflows).toMatchObject([
      {
        workflow: "ship",
        runs: 2,
        completed: 2,
        kinds: { "internal.script_error": 2 },
        steps: [
          { step: "check", runs: 2, failed: 2 },
          { step: "note", runs: 2, failed: 0 },
        ],
      },
    ]);
    const rows = await fleet.sql("select name, figures, input_marks from segno.run_facts");
    expect(JSON.stringify(rows)).not.toMatch(/acme|by hand|check|script_error/);
    const unread = await fleet.json<RunsAnswer>(["runs"], WITHOUT_KEY);
    expect(unread.runs.map(({ name }) => name)).toEqual([null, null]);
    const counted = await fleet.json<StatsAnswer>(["stats"], WITHOUT_KEY);
    expect(counted).toMatchObject({ runs: 2, without_steps: 2, workflows: [{ runs: 2, completed: 2, steps: [] }] });
  });
});
