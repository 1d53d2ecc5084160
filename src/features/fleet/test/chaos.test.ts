// A short round of `npm run chaos -- --on postgres`: the script itself is in use, so it must not break unseen.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasPostgres } from "./cluster.ts";

const MAIN = join(import.meta.dirname, "../../../../scripts/chaos/main.mjs");

async function chaos(...args: readonly string[]): Promise<{ readonly code: number | null; readonly said: string }> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => {
    child.kill("SIGINT");
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes) => {
      said += bytes;
    });
  const code = await new Promise<number | null>((done) => child.once("close", done));
  return { code, said };
}

describe.skipIf(!hasPostgres)("a fleet whose workers are killed and stopped, and whose clocks are hours apart", () => {
  it("completes every run, repeats no step and records the right times", async () => {
    // Slots that are full: how soon a run is adopted says more about the machine here than about the fleet.
    const counts = ["--kills", "1", "--stops", "1", "--runs", "4", "--slots", "full"];
    const { code, said } = await chaos("--on", "postgres", "--apart", ...counts, "--seed", "7");
    // That a worker which is stopped between its last look and the start of a step does not start it is not promised.
    const unpromised = said.match(/begun by a worker that had been given up$/gm) ?? [];
    expect(unpromised.length, said).toBeLessThanOrEqual(1);
    expect(code, said).toBe(unpromised.length);
    expect(said).toMatch(/kills +1\n +stops +1, 1 of them too long\n/);
    expect(said).toMatch(/runs +4, 0 not completed\n/);
    // Each has four items, a step that fails once, one in its child and a last one.
    expect(Number(/scripts begun +(\d+)/.exec(said)?.[1])).toBeGreaterThanOrEqual(4 * 8);
    for (const fault of ["steps repeated", "gaps", "events with a wrong time"])
      expect(said).toMatch(new RegExp(`${fault} +0\n`));
  });
});

describe.skipIf(!hasPostgres)("a fleet whose database is restarted, cut off, and loses dispatches", () => {
  it("completes every run and repeats no step", async () => {
    const { code, said } = await chaos("--on", "postgres", "--faults", "8", "--seed", "5");
    expect(code, said).toBe(0);
    expect(said).toMatch(/runs +[1-9]\d*, 0 not completed\n +steps repeated +0\n +gaps +0\n/);
  });
});
