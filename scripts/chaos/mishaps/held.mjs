// A run that is in the middle of a step for as long as a mishap wants: the step ends when a file is there.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { newPlace } from "../places.mjs";

// Each try leaves a mark of its own.
const SCRIPT = `echo x >> tries; until [ -e go ]; do sleep 0.05; done; echo done`;
const FILE = JSON.stringify({
  workflow: { name: "held", entry_point: "first" },
  agents: [
    { name: "first", type: "set", value: "1", routes: [{ to: "long" }] },
    { name: "long", type: "script", command: "sh", args: ["-c", SCRIPT], routes: [{ to: "last" }] },
    { name: "last", type: "set", value: "2", routes: [{ to: "$end" }] },
  ],
});

export function heldPlace(base, name) {
  const place = newPlace(base, name, { "main.yaml": FILE });
  const at = { cwd: place, home: join(place, "home"), log: join(place, "log") };
  const isBegun = () => until(() => existsSync(join(place, "tries")));
  return { place, at, isBegun, letGo: () => writeFileSync(join(place, "go"), "") };
}

/** Looks until it is so; what is not so after a minute will not be. */
export async function until(isSo) {
  for (const end = performance.now() + 60_000; performance.now() < end; await pause(20)) if (isSo()) return true;
  return false;
}

/** Whether the exported events are numbered without a gap, and none stands there twice. */
export const isInOrder = (events) => events.every(({ seq }, at) => seq === at + 1);
