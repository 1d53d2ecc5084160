// What a fleet says to whoever uses it: who drives a run, what Ctrl-C does, and what is missing.
import { describe, expect, it } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { hasPostgres } from "./cluster.ts";
import { TestFleet } from "./fleet.ts";

const HELD = `
workflow: { name: held, entry_point: a }
agents:
  - { name: a, type: script, command: sh, args: [-c, 'echo begun >> log; until test -e go; do sleep 0.1; done'] }
`;

const WITHOUT_KEY = { SEGNO_SEAL_KEY: "" };

describe.skipIf(!hasPostgres)("a fleet says", () => {
  it("that a run goes on when its follower leaves, and which worker drives it", async () => {
    const fleet = await TestFleet.start();
    fleet.write("held.yaml", HELD);
    await fleet.worker({}, { id: "w3" });
    const other = fleet.elsewhere();
    const following = other.start(["run", `${fleet.folder}/held.yaml`, "--on", fleet.url]);
    let said = "";
    following.stderr.on("data", (bytes) => {
      said += bytes;
    });
    const closed = new Promise<number | null>((done) => following.once("close", done));
    await until(() => fleet.lines("log").length === 1);
    await until(() => said.includes("a"));
    following.kill("SIGINT");
    expect(await closed).toBe(130);
    expect(said).not.toContain("Stopping");
    expect(said).toMatch(/The run goes on\. To stop it: (npx )?segno cancel \S+ --on/);
    expect((await other.segno(["explain", "--on", fleet.url, ...(await newest(fleet))])).stdout).toContain(
      "It is being driven by worker w3.",
    );
    fleet.write("go", "");
    await until(async () => (await fleet.statusOf((await newest(fleet))[0] ?? "")) === "completed");
  });

  it("that a run is queued, when its follower leaves before a worker came", async () => {
    const fleet = await TestFleet.start();
    fleet.write("held.yaml", HELD);
    const following = fleet.elsewhere().start(["run", `${fleet.folder}/held.yaml`, "--on", fleet.url]);
    let said = "";
    for (const stream of [following.stdout, following.stderr])
      stream.on("data", (bytes) => {
        said += bytes;
      });
    const closed = new Promise<number | null>((done) => following.once("close", done));
    await until(() => said.includes("No worker is there"));
    following.kill("SIGTERM");
    expect(await closed).toBe(130);
    expect(said).toContain("queued");
    expect(said).not.toContain("still running");
  });

  it("that it is sealed, to who has no key, before anything is placed", async () => {
    const fleet = await TestFleet.start();
    fleet.write("held.yaml", HELD);
    fleet.write("go", "");
    const worker = await fleet.worker();
    for (const detach of [[], ["--detach"]]) {
      const refused = await fleet.segno(["run", "held.yaml", ...detach], WITHOUT_KEY);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain("This fleet is sealed, and SEGNO_SEAL_KEY is not set here");
    }
    expect(await newest(fleet)).toEqual([]);
    await fleet.segno(["run", "held.yaml"]);
    await worker.leave();
    // Also when no worker is there to say so.
    expect((await fleet.json<{ workers: unknown[] }>(["workers"])).workers).toEqual([]);
    expect((await fleet.segno(["run", "held.yaml", "--detach"], WITHOUT_KEY)).stderr).toContain("This fleet is sealed");
    expect(await newest(fleet)).toHaveLength(1);
  });

  it("how to examine the database that a worker was started on", async () => {
    const fleet = await TestFleet.start();
    const on = fleet.url.replace(/[^/]+$/, "nowhere");
    const { stderr } = await fleet.elsewhere({ spawns: true }).segno(["worker", "--on", on]);
    expect(stderr).toContain(`segno doctor --on ${on}`);
  });
});

async function newest(fleet: TestFleet): Promise<readonly string[]> {
  const rows = await fleet.sql("select run_id from segno.runs order by started desc limit 1");
  return rows.map(({ run_id }) => String(run_id));
}
