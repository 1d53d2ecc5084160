// A short chaos run: a few shapes, a dozen kills, and the mishaps that are no kill; in CI some hundred kills more.
// `npm run chaos` is the long one.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isWhole } from "../support/property-runs.ts";

const MAIN = join(import.meta.dirname, "../../scripts/chaos/main.mjs");

async function chaos(...args: readonly string[]): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      said += chunk;
    });
  const code = await new Promise<number | null>((done) => child.once("close", done));
  return { code, said };
}

test("runs that are killed again and again come to what they would have come to", async () => {
  const howLong = isWhole ? ["--quick"] : ["--few"];
  const { code, said } = await chaos(...howLong, "--seed", "41", "--jobs", "2");
  expect(said).toMatch(/chaos: \d+ kills, \d+ runs, 0 wrong \(seed 41/);
  expect(code, said).toBe(0);
  expect(Number(/chaos: (\d+) kills/.exec(said)?.[1])).toBeGreaterThan(0);
}, 900_000);
