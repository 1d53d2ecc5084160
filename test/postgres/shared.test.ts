// What runs share holds over all workers: a breaker that opens for one is open for all, and places are counted together.
import { afterAll, describe, expect, it } from "vitest";
import { cluster, hasPostgres } from "./cluster.ts";
import { TestFleet } from "./fleet.ts";

const CALLS = `
workflow:
  name: calls
  entry_point: call
  resilience: { circuit_breaker: { failure_threshold: 2, recovery_timeout: 600 } }
agents:
  - { name: call, type: http, url: "http://127.0.0.1:1/", routes: [{ to: $end }] }
`;

describe.skipIf(!hasPostgres)("what runs of a fleet share", () => {
  afterAll(async () => (await cluster()).close());

  it("a breaker that the runs of one worker opened refuses those of another", async () => {
    const fleet = await TestFleet.start();
    fleet.write("calls.yaml", CALLS);
    const first = await fleet.worker();
    for (let count = 0; count < 2; count++)
      expect(await fleet.json(["run", "calls.yaml"])).toMatchObject({ success: false });
    first.child.kill("SIGTERM");
    await first.ended;
    await fleet.worker();
    const refused = await fleet.json(["run", "calls.yaml"]);
    expect(refused.errors[0]?.kind).toBe("circuit.open");
    expect(await fleet.json(["breakers"])).toMatchObject({ breakers: [{ state: "open" }] });
  }, 120_000);
});
