// Looking for processes that a test started, by a word in their command line that only they have.
import { readdirSync, readFileSync } from "node:fs";

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
