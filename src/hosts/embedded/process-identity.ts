// Which process holds something, and whether it still lives. A pid alone is not enough: the system gives it away again.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { ProcessIdentity } from "../liveness.ts";

/** A process on another host counts as dead when nothing was heard of it for so long. */
export const SILENCE_MS = 60_000;
export const HEARTBEAT_MS = 15_000;

/** Linux: boot and clock ticks since. The name in the second field may hold spaces and brackets, hence the last bracket. */
function linuxStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").slice(0, 8);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A process that ended and that nobody has reaped still has its entry; it drives nothing any more.
    return fields[0] === "Z" || fields[0] === "X" ? undefined : `${boot}:${fields[19]}`;
  } catch {
    return undefined;
  }
}

const startedAt = (): number => Math.round(Date.now() - process.uptime() * 1000);

/** Elsewhere `ps` knows it to the second; asking costs a process, so only about others, and compared with some slack. */
function sameStart(pid: number, recorded: string): boolean {
  if (process.platform === "linux") return linuxStart(pid) === recorded;
  if (process.platform === "win32") return true;
  const { stdout } = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], {
    encoding: "utf8",
    env: { LC_ALL: "C", PATH: "/usr/bin:/bin" },
  });
  const started = Date.parse(stdout ?? "");
  return Number.isNaN(started) || Math.abs(started - Number(recorded)) < 3000;
}

let own: ProcessIdentity | undefined;

export function thisProcess(): ProcessIdentity {
  own ??= { host: hostname(), pid: process.pid, start: linuxStart(process.pid) ?? String(startedAt()) };
  return own;
}

function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It exists, and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Whether a process lives; `heard` is when it last gave a sign, `here` the name of this host. */
export function isAlive(who: ProcessIdentity, heard: number, now: number, here: string): boolean {
  if (who.host !== here) return now - heard <= SILENCE_MS;
  if (who.pid === process.pid) return who.start === thisProcess().start;
  return pidExists(who.pid) && sameStart(who.pid, who.start);
}
