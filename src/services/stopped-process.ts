// Whether a process is stopped (SIGSTOP, Ctrl-Z): it lives, and hears no signal before it goes on.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { systemProgram } from "../steps/process/system-program.ts";

export function isStopped(pid: number): boolean {
  const state = process.platform === "linux" ? stateInProc(pid) : stateFromPs(pid);
  return state === "T" || state === "t";
}

/** The third field; the second is a name in brackets, which may hold anything. */
function stateInProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat[stat.lastIndexOf(")") + 2];
  } catch {
    return undefined;
  }
}

const stateFromPs = (pid: number): string | undefined =>
  spawnSync(systemProgram("ps"), ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout?.trim()[0];
