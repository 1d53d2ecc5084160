// Whoever cannot open a run cannot stop it, and is told so before anything happens.
import { describe, expect, it } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { cluster, hasPostgres } from "./cluster.ts";
import { SEAL_KEY, TestFleet } from "./fleet.ts";

const HELD = `
workflow: { name: held, entry_point: a }
agents:
  - { name: a, type: script, command: sh, args: [-c, 'until test -e go; do sleep 0.1; done'] }
`;
const GATE = `
workflow: { name: gated, entry_point: ask }
agents:
  - { name: ask, type: human_gate, prompt: "Ship?", options: [{ label: "Yes", value: "yes", route: $end }] }
`;
const WITHOUT_KEY = { SEGNO_SEAL_KEY: "" };
const OWN_KEY = { SEGNO_SEAL_KEY: SEAL_KEY };
const OTHER_KEY = { SEGNO_SEAL_KEY: "o".repeat(64) };

describe.skipIf(!hasPostgres)("a run that somebody cannot open", () => {
  it.each([
    ["it is not sealed, and they have a key", WITHOUT_KEY, OWN_KEY, /is not sealed, and SEGNO_SEAL_KEY is set here/],
    ["they have another key", OWN_KEY, OTHER_KEY, /is sealed with the key \w{8}, and SEGNO_SEAL_KEY has \w{8}/],
    ["they have no key", OWN_KEY, WITHOUT_KEY, /is sealed with the key \w{8}, and SEGNO_SEAL_KEY is not set here/],
  ])("is not stopped by them, queued, running or paused, with one sentence: %s", async (_, theirs, ours, why) => {
    const fleet = await TestFleet.start();
    fleet.write("held.yaml", HELD);
    fleet.write("gate.yaml", GATE);
    const place = async (file: string) => (await fleet.json(["run", file, "--detach"], theirs)).run_id ?? "";
    const asItIs = async (runId: string) =>
      (
        await (
          await cluster()
        ).sql(`select status, drive_ended, stop_requested from segno.runs where run_id = '${runId}'`, fleet.url)
      )[0];
    await fleet.worker(theirs, { concurrency: 1 });
    const paused = await place("gate.yaml");
    await until(async () => (await fleet.statusOf(paused)) === "paused");
    const running = await place("held.yaml");
    await until(async () => (await asItIs(running))?.status === "running");
    const queued = await place("gate.yaml");

    const said = new Set<string>();
    for (const runId of [paused, running, queued]) {
      const before = await asItIs(runId);
      const { success, exit_code, error } = await fleet.json(["cancel", runId], ours);
      expect({ success, exit_code }).toEqual({ success: false, exit_code: 1 });
      expect(await asItIs(runId)).toEqual(before);
      said.add((error ?? "").replace(runId, "RUN"));
    }
    expect([...said]).toEqual([expect.stringMatching(why)]);
    expect([...said][0]).toContain("who cannot open a run cannot stop it. Nothing was asked of it.");

    // Whoever can open it stops it.
    expect(await fleet.json(["cancel", queued], theirs)).toMatchObject({ status: "cancelled" });
    expect(await fleet.json(["cancel", paused], theirs)).toMatchObject({ status: "cancelled" });
    fleet.write("go", "");
    expect(await fleet.allEnded([running])).toEqual(["completed"]);
  });
});
