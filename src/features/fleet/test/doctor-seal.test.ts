// `segno doctor` says of a fleet what its runs and workers are sealed with, whatever the variable here says.
import { describe, expect, it } from "vitest";
import { type Check, checkFleet } from "../../../services/doctor/checks.ts";
import type { DoctorAnswer } from "../../../services/doctor/index.ts";
import { cluster, hasPostgres } from "./cluster.ts";
import { SEAL_KEY, TestFleet } from "./fleet.ts";

const NOTE = "workflow: { name: note, entry_point: a }\nagents: [{ name: a, type: set, value: 1 }]\n";
const WITHOUT_KEY = { SEGNO_SEAL_KEY: "" };
const OTHER_KEY = { SEGNO_SEAL_KEY: "o".repeat(64) };
const BOTH_KEYS = { SEGNO_SEAL_KEY: `${"o".repeat(64)},${SEAL_KEY}` };

async function fleetWith(env: Readonly<Record<string, string>>) {
  const fleet = await TestFleet.start();
  fleet.write("note.yaml", NOTE);
  await fleet.worker(env);
  for (let n = 0; n < 2; n += 1)
    expect(await fleet.json(["run", "note.yaml"], env)).toMatchObject({ status: "completed" });
  const seal = async (here: Readonly<Record<string, string>> = {}): Promise<Check | undefined> =>
    (await fleet.json<DoctorAnswer>(["doctor"], here)).checks.find(({ name }) => name === "fleet.seal");
  return { fleet, seal };
}

describe.skipIf(!hasPostgres)("what doctor says of a fleet's seal", () => {
  it("is that all is in clear where the fleet has no key, and that a key here does not fit", async () => {
    const { seal } = await fleetWith(WITHOUT_KEY);
    const keyed = await seal();
    expect(keyed?.ok).toBe(false);
    expect(keyed?.message).toMatch(
      /^no run is sealed with the SEGNO_SEAL_KEY that is here \(key \w{8}\); 2 runs are in clear .*; 0 of 1 workers have it\. Nothing can be placed from here: this fleet has no key/,
    );
    expect(await seal(WITHOUT_KEY)).toMatchObject({
      ok: true,
      ready: false,
      message: expect.stringContaining("in clear (2 runs do), and runs with secret inputs are refused"),
    });
  });

  it("is which key the runs need where the fleet has one, whatever is here", async () => {
    const { fleet, seal } = await fleetWith({});
    const own = await seal();
    expect(own).toMatchObject({
      ok: true,
      message: expect.stringMatching(/^2 runs are sealed with .* 1 of 1 workers has it$/),
    });
    expect(own?.ready).not.toBe(false);
    const key = /\(key (\w{8})\)/.exec(own?.message ?? "")?.[1];
    const none = await seal(WITHOUT_KEY);
    expect(none).toMatchObject({ ok: false });
    expect(none?.message).toContain(
      `2 runs are sealed with the key ${key}; no run is in clear; 1 of 1 workers have a key`,
    );
    expect(none?.message).toContain("Nothing can be placed from here. Set it to the key that the workers have");
    const unknown = await seal(OTHER_KEY);
    expect(unknown).toMatchObject({ ok: false });
    expect(unknown?.message).toContain(`2 runs need the key ${key}, which is not there; 0 of 1 workers have it`);
    expect(unknown?.message).toContain("neither its runs nor its workers know a key that is here");
    // What is said of placing is so.
    expect(await fleet.json(["run", "note.yaml", "--detach"], OTHER_KEY)).toMatchObject({
      success: false,
      run_id: null,
    });
    expect(await seal(BOTH_KEYS)).toMatchObject({
      ok: true,
      ready: false,
      message: expect.stringMatching(/0 of 1 workers have it: what is placed from here waits for one that has$/),
    });
  });

  it("changes nothing: a database without tables has none afterwards, and one of an older Segno stays as it is", async () => {
    const { empty, database, sql } = await cluster();
    const look = async (url: string) => {
      const checks = await checkFleet({ cwd: "/", env: {}, home: "/nonexistent", fleet: url });
      return checks.map(({ name, ok, ready, message }) => ({ name, ok, ready, message }));
    };
    const bare = await empty();
    expect(await look(bare)).toEqual([
      {
        name: "fleet.database",
        ok: true,
        ready: false,
        message: expect.stringContaining("has no tables of Segno yet"),
      },
    ]);
    const made = await sql(
      "select 1 from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
      bare,
    );
    expect(made).toEqual([]);
    const older = await database();
    await sql("update segno.about set version = version - 1", older);
    const before = await sql("select version from segno.about", older);
    expect(await look(older)).toMatchObject([{ ok: true, message: expect.stringContaining("of an older Segno") }]);
    expect(await sql("select version from segno.about", older)).toEqual(before);
    expect((await look(await database()))[0]).toMatchObject({
      ok: true,
      message: expect.stringContaining("of this Segno"),
    });
  });
});
