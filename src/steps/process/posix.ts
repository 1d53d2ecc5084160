// The side of Linux and macOS: process groups, signals, owners and modes, and who runs: from /proc, or from `ps` where there
// is none. That is read only when something has to be ended.
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from "node:fs";
import { basename, join } from "node:path";
import { PLATFORM } from "./platform.ts";
import { CLOCK_SLACK_MS, type ProcessEntry, type System } from "./system.ts";

function processTable(): Map<number, ProcessEntry> {
  const entries = HAS_PROC ? pidsOfProc().flatMap((pid) => processEntry(pid) ?? []) : entriesFromPs();
  return new Map(entries.map((entry) => [entry.pid, entry]));
}

function processEntry(pid: number): ProcessEntry | undefined {
  if (!HAS_PROC) return entriesFromPs().find((entry) => entry.pid === pid);
  try {
    return parseStat(pid, readShort(`/proc/${pid}/stat`));
  } catch {
    return undefined;
  }
}

/** Without /proc, asking costs a process of its own, so the time stands in for it; `isSameProcess` allows for that. */
export function identityOf(pid: number): string {
  return (HAS_PROC ? processEntry(pid)?.identity : undefined) ?? new Date().toISOString();
}

function isSameProcess(entry: ProcessEntry, identity: string): boolean {
  if (entry.identity === identity) return true;
  if (HAS_PROC) return false;
  return Math.abs(Date.parse(entry.identity) - Date.parse(identity)) < CLOCK_SLACK_MS;
}

/** The boot that an identity speaks of is this one. */
const isFromThisBoot = (identity: string): boolean => !HAS_PROC || identity.startsWith(`${bootId()}/`);

/** The earliest that the process of that identity began, comparable with `ProcessEntry.began`. */
const beganAt = (identity: string): number =>
  HAS_PROC ? Number(identity.slice(identity.lastIndexOf("/") + 1)) : Date.parse(identity) - CLOCK_SLACK_MS;

const environments = (): (readonly string[])[] => (HAS_PROC ? pidsOfProc().map(environmentOf) : []);

/** What a process was started with: `NAME=value` each. Empty where that cannot be seen. */
function environmentOf(pid: number): readonly string[] {
  if (!HAS_PROC) return [];
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}

function nameOf(pid: number): string | undefined {
  if (!HAS_PROC)
    return programName(spawnSync(systemProgram("ps"), ["-o", "comm=", "-p", String(pid)], { encoding: "utf8" }).stdout);
  try {
    const [program = ""] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0", 1);
    return programName(program) ?? programName(readFileSync(`/proc/${pid}/comm`, "utf8"));
  } catch {
    return undefined;
  }
}

/** A login shell is started as `-bash`. */
const programName = (command: string | null): string | undefined =>
  basename(command?.trim() ?? "").replace(/^-/, "") || undefined;

function holdersOf(files: readonly number[]): readonly number[] | undefined {
  if (!HAS_PROC) return undefined;
  const pipes = new Set(files.map((file) => linkOf(`/proc/self/fd/${file}`)));
  pipes.delete(undefined);
  return pidsOfProc().filter(
    (pid) => pid !== process.pid && openFilesOf(pid).some((file) => pipes.has(linkOf(`/proc/${pid}/fd/${file}`))),
  );
}

/** Empty for processes of other users. */
function openFilesOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch {
    return [];
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

const HAS_PROC = PLATFORM === "linux";

/** Files below /proc say they have no size, and are then read with large buffers; one small one serves them all. */
const shared = Buffer.allocUnsafe(2048);
function readShort(path: string): string {
  const file = openSync(path, "r");
  try {
    return shared.toString("latin1", 0, readSync(file, shared, 0, shared.length, 0));
  } finally {
    closeSync(file);
  }
}

/** It lives, and hears no signal before it goes on. */
const isStoppedProcess = (pid: number): boolean => /^t$/i.test(letterOf(pid) ?? "");

function letterOf(pid: number): string | undefined {
  if (!HAS_PROC)
    return spawnSync(systemProgram("ps"), ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout?.trim()[0];
  try {
    const stat = readShort(`/proc/${pid}/stat`);
    // The third field; the second is a name in brackets, which may hold anything.
    return stat[stat.lastIndexOf(")") + 2];
  } catch {
    return undefined;
  }
}

let boot: string | undefined;
function bootId(): string {
  boot ??= readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  return boot;
}

const pidsOfProc = (): number[] => readdirSync("/proc").map(Number).filter(Number.isInteger);

/** The command's name may hold spaces and brackets, so fields count from its last bracket. */
function parseStat(pid: number, stat: string): ProcessEntry {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const began = Number(fields[19]);
  return {
    pid,
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    identity: `${bootId()}/${began}`,
    began,
    zombie: fields[0] === "Z" || fields[0] === "X",
  };
}

function entriesFromPs(): ProcessEntry[] {
  const { stdout } = spawnSync(systemProgram("ps"), ["-axo", "pid=,ppid=,pgid=,stat=,lstart="], {
    encoding: "utf8",
    // The names of months are read.
    env: { LC_ALL: "C" },
  });
  return (stdout ?? "").split("\n").flatMap((line) => {
    const [pid, parent, group, state, ...began] = line.trim().split(/\s+/);
    if (!pid || !state) return [];
    const start = new Date(began.join(" "));
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: Number(group),
      identity: Number.isNaN(start.getTime()) ? "" : start.toISOString(),
      began: start.getTime(),
      zombie: state.startsWith("Z"),
    };
  });
}

const OF_SYSTEM = ["/usr/bin", "/bin"];

/**
 * Programs of the system that Segno starts for itself: from the system's folders, since PATH may begin with one that an agent,
 * or the repository in the current folder, has filled. Its name where a system keeps it elsewhere.
 */
export const systemProgram = (name: string): string =>
  OF_SYSTEM.map((folder) => join(folder, name)).find((file) => existsSync(file)) ?? name;

const STICKY = 0o1000;
const WRITABLE_BY_OTHERS = 0o022;

export const posix: System = {
  // A group of its own: by its number everything in it is ended at once.
  launch: ({ command, args, env }) => ({ file: command, args, options: { env: { ...env }, detached: true } }),
  processes: processTable,
  identityOf,
  nameOf,
  holdersOf,
  isSameProcess,
  isFromThisBoot,
  beganAt,
  environments,
  environmentOf,
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
