// The side of Linux and macOS: process groups, signals, owners and modes.
import { PLATFORM } from "./platform.ts";
import {
  beganAt,
  environmentOf,
  environments,
  identityOf,
  isFromThisBoot,
  isSameProcess,
  isStoppedProcess,
  processEntry,
  processTable,
} from "./process-table.ts";
import type { System } from "./system.ts";

const STICKY = 0o1000;
const WRITABLE_BY_OTHERS = 0o022;

export const posix: System = {
  // A group of its own: by its number everything in it is ended at once.
  launch: ({ command, args, env }) => ({ file: command, args, options: { env: { ...env }, detached: true } }),
  processes: processTable,
  ...{ identityOf, isSameProcess, isFromThisBoot, beganAt, environments, environmentOf },
  canAsk: true,
  killMs: 2000,
  signal(group, entries, name) {
    // To the group as one, so that no process forks away in between, and to each of those that left it.
    const inGroup = entries.some((entry) => entry.group === group);
    if (inGroup) send(-group, name);
    for (const entry of entries) if (entry.group !== group) send(entry.pid, name);
  },
  signalTrees(pids, name) {
    for (const pid of pids) send(-pid, name);
  },
  interrupt: (pid) => void process.kill(pid, "SIGINT"),
  hasSignals: true,
  isStopped: isStoppedProcess,
  startOf: (pid) => processEntry(pid)?.began,
  syncsFolders: true,
  shim: {
    files: (command, program) => ({ [command]: `#!${process.execPath}\n${program}` }),
    real: `command, args, { stdio: "inherit" }`,
  },
  opener: (url) => [PLATFORM === "darwin" ? "open" : "xdg-open", url],
  isOwnFolder: ({ uid, mode }) => uid === process.getuid?.() && (mode & 0o777) === 0o700,
  keepsOthersOut: ({ mode }) => (mode & WRITABLE_BY_OTHERS) === 0 || (mode & STICKY) !== 0,
};

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself in the meantime, or changed its user; either way there is nothing to send.
  }
}
