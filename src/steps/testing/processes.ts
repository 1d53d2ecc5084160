// Looking for processes that a test started, by a word in their command line that only they have.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

let serial = 0;

/** A number of seconds to sleep that is also a name: no other process on this machine sleeps exactly as long. */
export const ownSleep = (): string => `${900 + (process.pid % 90)}.${process.pid}${++serial}`;

export function runningWith(word: string): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
      const state = readFileSync(`/proc/${name}/stat`, "latin1").split(") ").at(-1)?.[0];
      return words.includes(word) && state !== "Z" ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** Waits for a condition that a process outside brings about. */
export async function until(isSo: () => boolean, withinMs = 5000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!isSo()) {
    if (performance.now() > end) throw new Error("it did not happen in time");
    await pause(5);
  }
}
