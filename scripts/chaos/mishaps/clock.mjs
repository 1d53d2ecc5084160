// A clock that jumps: back by a day in the middle of waits, and forward. Nothing waits for it longer than was asked for.
import { join } from "node:path";
import { runsIn } from "../outcome.mjs";
import { newPlace } from "../places.mjs";
import { segno } from "../segno.mjs";

const FILE = JSON.stringify({
  workflow: { name: "clock", entry_point: "flaky" },
  agents: [
    {
      name: "flaky",
      type: "script",
      command: "sh",
      args: ["step.sh", "0", "ordinal:2", "app.chaos"],
      routes: [{ on_error: true, retry: { max: 3, backoff: "fixed", initial_seconds: 0.5 } }, { to: "pause" }],
    },
    { name: "pause", type: "wait", duration: "500ms", routes: [{ to: "last" }] },
    {
      name: "last",
      type: "script",
      command: "sh",
      args: ["step.sh", "0", "never", "app.chaos"],
      routes: [{ to: "$end" }],
    },
  ],
});

const DAY = 86_400;
const LONGEST_MS = 45_000;

export async function clockJumps(base) {
  const wrong = [];
  const jumps = [`clock:-${DAY}@5`, `clock:+${DAY}@5`, `clock:+${DAY}@5,clock:-${2 * DAY}@6`];
  await Promise.all(
    jumps.map(async (jump, index) => {
      const place = newPlace(base, `clock-${index}`, { "main.yaml": FILE });
      const at = { cwd: place, home: join(place, "home"), log: join(place, "log") };
      const began = performance.now();
      // Killed in the middle of a wait, and resumed with a clock that is right again, or wrong the other way.
      await segno(["run", "main.yaml"], { ...at, fault: `${jump},kill-after:6` });
      const [runId] = runsIn(at.home);
      await segno(["resume", runId], { ...at, fault: `clock:-${DAY}@1,kill-after:6` });
      const { result } = await segno(["resume", runId], { ...at, fault: jump });
      const tookMs = performance.now() - began;
      if (result?.status !== "completed") wrong.push(`${jump}: the run is ${result?.status}: ${result?.error}`);
      if (tookMs > LONGEST_MS) wrong.push(`${jump}: it took ${Math.round(tookMs / 1000)} s`);
    }),
  );
  return { wrong };
}
