// A gate is answered and its run cancelled in the same moment, on a fleet: an answer places the next drive of the run.
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { answerGate } from "../../../services/gates/gates.ts";
import { FleetClient } from "../postgres/queue/client.ts";
import { hasPostgres } from "./cluster.ts";
import { SEAL_KEY, TestFleet } from "./fleet.ts";

const GATE = `
workflow: { name: gated, entry_point: ask }
agents:
  - { name: ask, type: human_gate, prompt: "Ship?", options: [{ label: "Yes", value: "yes", route: ship }] }
  - { name: ship, type: script, command: sh, args: [-c, 'echo shipped >> marks'] }
`;

describe.skipIf(!hasPostgres)("a run that is answered and cancelled at once", () => {
  it("stays cancelled when the answer placed a drive that no worker had taken yet", async () => {
    const fleet = await TestFleet.start();
    fleet.write("gate.yaml", GATE);
    const first = await fleet.worker();
    const run = await fleet.place("gate.yaml");
    await until(async () => (await fleet.statusOf(run)) === "paused");
    await first.leave();
    const env = { PATH: process.env.PATH, SEGNO_SEAL_KEY: SEAL_KEY };
    const asked = { cwd: fleet.folder, home: join(fleet.folder, "home"), fleet: fleet.url, env };
    // The cancel has looked, and found no drive: then the answer places one.
    const { stop } = FleetClient.prototype;
    vi.spyOn(FleetClient.prototype, "stop").mockImplementationOnce(async function (this: FleetClient, id) {
      const found = await stop.call(this, id);
      await answerGate(asked, { run, value: "yes", inputs: {} }, { detach: true });
      return found;
    });
    expect(await fleet.json(["cancel", run])).toMatchObject({ status: "cancelled" });
    await fleet.worker();
    await until(
      async () => (await fleet.sql(`select drive_ended from segno.runs where run_id = '${run}'`))[0]?.drive_ended,
    );
    expect(await fleet.statusOf(run)).toBe("cancelled");
    expect(fleet.lines("marks")).toEqual([]);
    expect(await fleet.json(["resume", run])).toMatchObject({ status: "completed" });
    expect(fleet.lines("marks")).toEqual(["shipped"]);
  });

  it("is cancelled also when a worker pauses it in the moment in which it is asked to stop", async () => {
    const fleet = await TestFleet.start();
    fleet.write("gate.yaml", GATE);
    await fleet.worker();
    const run = await fleet.place("gate.yaml");
    await until(async () => (await fleet.statusOf(run)) === "paused");
    // As the cancel saw it before.
    vi.spyOn(FleetClient.prototype, "stop").mockImplementationOnce(async () => "asked");
    expect(await fleet.json(["cancel", run])).toMatchObject({ status: "cancelled" });
    expect(await fleet.json(["gate", "list"])).toMatchObject({ gates: [] });
  });
});
