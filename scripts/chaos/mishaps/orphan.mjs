// A script outlives its engine, which was killed: a resume ends it before it runs the step again, and says so.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { outcomeOf, runsIn } from "../outcome.mjs";
import { newPlace } from "../places.mjs";
import { segno } from "../segno.mjs";

// The first try never ends by itself; the second finds its mark and is quick.
const SCRIPT = `[ -e mark ] && { echo again; exit 0; }; echo $$ > mark; while :; do sleep 0.1; done`;
const FILE = JSON.stringify({
  workflow: { name: "orphan", entry_point: "long" },
  agents: [{ name: "long", type: "script", command: "sh", args: ["-c", SCRIPT], routes: [{ to: "$end" }] }],
});

export async function orphan(base) {
  const wrong = [];
  // Killed at once, its process may not stand in the journal; killed later, it does.
  for (const [name, waitMs] of [
    ["orphan-early", 0],
    ["orphan-late", 500],
  ]) {
    const place = newPlace(base, name, { "main.yaml": FILE });
    const at = { cwd: place, home: join(place, "home"), log: join(place, "log") };
    await killedOnceMarked(place, waitMs, at);
    const pid = Number(readFileSync(join(place, "mark"), "utf8"));
    const [runId] = runsIn(at.home);
    const { result } = await segno(["resume", runId], at);
    if (result?.status !== "completed") {
      wrong.push(`${name}: the resume is ${result?.status}: ${result?.error}`);
      continue;
    }
    const { events } = outcomeOf({ ...at, runId, result });
    if (!events.some(({ type, data }) => type === "orphan_ended" && data.pid === pid))
      wrong.push(`${name}: the resume did not say that it ended ${pid}`);
    if (isAlive(pid)) wrong.push(`${name}: ${pid} is still there`);
  }
  return { wrong };
}

/** A zombie has ended; that nobody looks after it is not our doing. */
function isAlive(pid) {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

async function killedOnceMarked(place, waitMs, at) {
  const stop = new AbortController();
  const running = segno(["run", "main.yaml"], { ...at, stop: stop.signal });
  while (!existsSync(join(place, "mark")) || readFileSync(join(place, "mark"), "utf8") === "") await pause(2);
  await pause(waitMs);
  stop.abort();
  return running;
}
