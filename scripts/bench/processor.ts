// Processor time of processes, as Linux counts it, in milliseconds: it says the same on a busy machine.
import { readdirSync, readFileSync } from "node:fs";

/** Of all threads of a process. */
export function processorMs(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce((all, thread) => all + threadMs(pid, thread), 0);
  } catch {
    return 0;
  }
}

/** Of its main thread alone, which in Node does one thing after the other. */
export const mainThreadMs = (pid: number): number => threadMs(pid, pid);

function threadMs(pid: number, thread: number | string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch {
    // It has ended.
    return 0;
  }
}

/** What the processes use from now on; those that end before they are asked about are left out. */
export function processorSince(pids: () => readonly number[], msOf = processorMs): () => number {
  const before = new Map(pids().map((pid) => [pid, msOf(pid)]));
  return () => pids().reduce((all, pid) => all + Math.max(0, msOf(pid) - (before.get(pid) ?? 0)), 0);
}

/** The process that has begun this one. */
export function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

/** A process and those that it has begun: of Postgres, all of the server. */
export function familyOf(pid: number): readonly number[] {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => {
      try {
        return parentOf(one) === pid;
      } catch {
        return false;
      }
    });
  return [pid, ...children];
}
