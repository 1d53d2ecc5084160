// What a tormented fleet must not have done, read from the journals and from what the scripts noted.
import { uptime } from "node:os";

const BEGAN_MS = Date.now();
/** So far the clocks of two right machines may be apart. */
const APART_MS = 60_000;

/** `{ repeated, gaps, misdated, unfinished }` of one run. */
export function faultsOf(run, events) {
  const repeated = [];
  const gaps = [];
  const misdated = [];
  const done = new Set();
  for (const [index, { seq, ts, type, path, data }] of events.entries()) {
    const at = Date.parse(ts);
    if (at < BEGAN_MS - APART_MS || at > Date.now() + APART_MS) misdated.push(`${run}: event ${seq} is of ${ts}`);
    if (seq !== index + 1) gaps.push(`${run}: event ${seq} stands where ${index + 1} should`);
    const key = `${path.join("/")} ${data.key}`;
    if (type === "script_spawned" && done.has(key)) repeated.push(`${run}: ${key} ran again after it was done`);
    if (type === "agent_completed") done.add(key);
  }
  const last = events.at(-1)?.type;
  const unfinished = last === "workflow_completed" ? [] : [`${run} ended with ${last}`];
  return { repeated, gaps, misdated, unfinished };
}

const TICK_MS = 10;
const BOOT_MS = Date.now() - uptime() * 1000;

/** When the worker made the process; where the system does not say, when that noted itself. */
const begunAt = ([, , noted, , ticks]) => (ticks ? BOOT_MS + Number(ticks) * TICK_MS : Number(noted));

/** Scripts that a worker began after it woke up, though the others had given it up. */
export const begunAfterFence = (lines, woken) =>
  lines
    .map((line) => line.split(" "))
    .filter((words) => woken.some(({ pid, at }) => pid === Number(words[1]) && begunAt(words) >= at + 2 * TICK_MS))
    .map((words) => `${words.join(" ")}: begun by a worker that had been given up`);

export function spreadOf(times) {
  const sorted = [...times].sort((a, b) => a - b);
  const seconds = (ms) => (ms === undefined ? "-" : `${(ms / 1000).toFixed(2)} s`);
  return { count: sorted.length, p50: seconds(sorted[Math.floor(sorted.length / 2)]), max: seconds(sorted.at(-1)) };
}
