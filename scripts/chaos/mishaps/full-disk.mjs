// A disk that fills up while a run writes: it says so and ends with code 1, and goes on once there is room again.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runsIn } from "../outcome.mjs";
import { newPlace } from "../places.mjs";
import { segno } from "../segno.mjs";

// Every step gives 200 KB, so that a disk of a few MB is full after some of them.
const step = (nth, last) => ({
  name: `s${nth}`,
  type: "script",
  command: "sh",
  args: ["-c", `echo s${nth} >> "$CHAOS_LOG"; head -c 200000 /dev/urandom | od -An -tx1 | tr -d ' \\n'`],
  routes: [{ to: nth === last ? "$end" : `s${nth + 1}` }],
});
const LAST = 12;
const FILE = JSON.stringify({
  workflow: { name: "full", entry_point: "s1", limits: { max_iterations: 50 } },
  agents: Array.from({ length: LAST }, (_, index) => step(index + 1, LAST)),
});

export async function fullDisk(base) {
  const place = newPlace(base, "full-disk", { "main.yaml": FILE });
  const disk = join(place, "disk");
  mkdirSync(disk);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=24m", "tmpfs", disk]).status !== 0)
    return { wrong: [], skipped: "a small disk could not be mounted; that needs root" };
  try {
    return { wrong: await fillUp(place, disk) };
  } finally {
    spawnSync("umount", ["-l", disk]);
  }
}

async function fillUp(place, disk) {
  const at = { cwd: place, home: join(disk, "home"), log: join(place, "log") };
  const ballast = join(disk, "ballast");
  writeFileSync(ballast, Buffer.alloc(22 * 1024 * 1024));
  const first = await segno(["run", "main.yaml"], at);
  const wrong = [];
  const said = `${first.result?.error ?? ""} ${first.stderr}`;
  if (first.code !== 1 || !/full|space/i.test(said)) wrong.push(`on a full disk: code ${first.code}, ${said}`);
  rmSync(ballast);
  const [runId] = runsIn(at.home);
  if (!runId) return wrong;
  const { result, stderr } = await segno(["resume", runId], at);
  if (result?.status !== "completed") wrong.push(`with room again: ${result?.status} ${result?.error ?? stderr}`);
  return wrong;
}
