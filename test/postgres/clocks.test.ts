// Machines whose clocks are set wrongly: waits and deadlines of a fleet go by the database's clock.
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { until } from "../support/until.ts";
import { cluster, hasPostgres } from "./cluster.ts";
import { TestFleet } from "./fleet.ts";

const HOUR_MS = 3_600_000;

/** Every `new Date()` and `Date.now()` of a process is off by so much. */
const shift = (ms: number): string => `
const Real = Date;
globalThis.Date = class extends Real {
  constructor(...args) { args.length === 0 ? super(Real.now() + ${ms}) : super(...args); }
  static now() { return Real.now() + ${ms}; }
};`;

const WAITS = `
workflow: { name: waits, entry_point: before, runtime: { affinity: any } }
agents:
  - { name: before, type: script, command: sh, args: [-c, "date +%s%3N >> log"], routes: [{ to: rest }] }
  - { name: rest, type: wait, duration: 4s, routes: [{ to: after }] }
  - { name: after, type: script, command: sh, args: [-c, "date +%s%3N >> log"] }
`;

const GATE = `
workflow: { name: gated, entry_point: ask }
agents:
  - name: ask
    type: human_gate
    prompt: "Ship?"
    timeout: 10m
    on_timeout: "no"
    options: [{ label: "Yes", value: "yes", route: $end }, { label: "No", value: "no", route: $end }]
output: { chosen: "{{ ask.output.selected }}" }
`;

async function shifted(fleet: TestFleet): Promise<readonly [fast: Env, slow: Env]> {
  fleet.write("fast.cjs", shift(HOUR_MS));
  fleet.write("slow.cjs", shift(-HOUR_MS));
  const env = (name: string): Env => ({ NODE_OPTIONS: `--require=${join(fleet.folder, name)}` });
  return [env("fast.cjs"), env("slow.cjs")];
}

type Env = Readonly<Record<string, string>>;

describe.skipIf(!hasPostgres)("on a fleet whose clocks are hours apart", () => {
  afterAll(async () => (await cluster()).close());

  it("a wait lasts as long as it says, whoever drives the run afterwards", async () => {
    const fleet = await TestFleet.start();
    fleet.write("waits.yaml", WAITS);
    const [fast, slow] = await shifted(fleet);
    const short = { SEGNO_HELD_WAIT_SECONDS: "1" };
    const leaves = await fleet.worker({ ...slow, ...short });
    const run = await fleet.place("waits.yaml");
    const delayed = "select 1 from dbos.workflow_status where status = 'DELAYED'";
    await until(async () => (await (await cluster()).sql(delayed, fleet.url)).length > 0, 60_000);
    leaves.child.kill("SIGKILL");
    await fleet.worker(fast);
    expect(await fleet.allEnded([run])).toEqual(["completed"]);
    const [before, after] = fleet.lines("log").map(Number);
    expect(after! - before!).toBeGreaterThanOrEqual(4000);
    expect(after! - before!).toBeLessThan(60_000);
    // And no worker's hour stands in what was recorded.
    for (const { ts } of await fleet.events(run))
      expect(Math.abs(Date.parse(ts) - Date.now())).toBeLessThan(HOUR_MS / 4);
  }, 120_000);

  it("a gate times out by the database's clock alone, for workers and for who answers", async () => {
    const fleet = await TestFleet.start();
    fleet.write("gate.yaml", GATE);
    const [fast, slow] = await shifted(fleet);
    const asks = await fleet.worker(slow);
    const { run_id, status } = await fleet.json(["run", "gate.yaml"]);
    expect(status).toBe("paused");
    asks.child.kill("SIGKILL");
    await fleet.worker(fast);
    expect(await fleet.json(["gate", "answer", run_id ?? "", "yes"], fast)).toMatchObject({
      ...{ status: "completed", output: { chosen: "yes" } },
    });
  }, 120_000);
});
