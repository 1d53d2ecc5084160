// Floor and subject take turns, so that noise hits both; each turn has a ratio of its own, and the median counts.
import { spawnSync } from "node:child_process";

export const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/** What a program of scripts/bench/programs prints. */
export function figure(args, env = process.env) {
  const out = spawnSync(process.execPath, args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  if (out.status !== 0) throw new Error(`node ${args.join(" ")} exited with ${out.status}: ${out.stderr}`);
  return Number(out.stdout.trim().split("\n").at(-1));
}

/** How long a program takes from its start to its end, in milliseconds. */
export function milliseconds(args, env = process.env) {
  const began = process.hrtime.bigint();
  const out = spawnSync(process.execPath, args, { env, stdio: "ignore" });
  if (out.status !== 0) throw new Error(`node ${args.join(" ")} exited with ${out.status}`);
  return Number(process.hrtime.bigint() - began) / 1e6;
}

export function inTurns(turns, floor, subject, compared = (one, other) => one / other) {
  const floors = [];
  const subjects = [];
  // The first turn fills caches.
  for (let turn = -1; turn < turns; turn++) {
    const pair = [floor(), subject()];
    if (turn < 0) continue;
    floors.push(pair[0]);
    subjects.push(pair[1]);
  }
  const ratio = median(subjects.map((one, turn) => compared(one, floors[turn])));
  const shown = (values) => `${Number(median(values).toPrecision(3))} ms`;
  return { ratio, subject: shown(subjects), floor: shown(floors) };
}
