// A temporary folder that only this user can enter; in memory where the system has room for that. On a busy disk, making
// and removing one small file for every script costs as much as the script.
import { lstatSync, mkdtempSync, readdirSync, readlinkSync, rmdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { system } from "./here.ts";
import { PLATFORM } from "./platform.ts";

const PREFIX = "segno-errors-";
/** Folders that exist now, for the way out. */
const folders = new Set<string>();
let hasSwept = false;

export function makePrivateFolder(): string {
  const folder = make();
  if (folders.size === 0) process.once("exit", removeAll);
  folders.add(folder);
  return folder;
}

export function removePrivateFolder(folder: string): void {
  try {
    // It is empty nearly always, and this is far cheaper.
    rmdirSync(folder);
  } catch {
    rmSync(folder, { recursive: true, force: true });
  }
  folders.delete(folder);
  if (folders.size === 0) process.removeListener("exit", removeAll);
}

/** Whether a folder is one of these, by its name. */
export const isPrivateFolder = (path: string): boolean => basename(path).startsWith(PREFIX);

function make(): string {
  const name = namedAfterThisProcess(PREFIX);
  try {
    const parent = preferred();
    if (!hasSwept) sweep(parent);
    hasSwept = true;
    return mkdtempSync(join(parent, name));
  } catch {
    return mkdtempSync(join(tmpdir(), name));
  }
}

/** A TMPDIR that is set takes precedence. */
const preferred = (): string => (PLATFORM === "linux" && !process.env.TMPDIR ? "/dev/shm" : tmpdir());

function removeAll(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

/** Removes what engines left behind that were killed. */
export function sweep(parent: string): void {
  for (const path of foldersLeftBehind(parent, PREFIX)) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Another engine was quicker.
    }
  }
}

// Temporary folders whose names say which process made them. So those of killed processes can be found: a folder has
// its name from the moment that it is there.

/** How the names of this process's folders begin. */
export const namedAfterThisProcess = (prefix: string): string => `${prefix}${pidNamespace()}-${process.pid}-`;

/**
 * Folders below `parent` whose processes are dead. Only pids of this namespace say anything about who lives. The place is
 * everybody's: what another user made there under such a name is not among them, since the owner of a folder can put a
 * link into it while it is being removed, and so choose what is removed.
 */
export const foldersLeftBehind = (parent: string, prefix: string): string[] =>
  foldersOfProcesses(parent, prefix).flatMap(({ path, isOfTheLiving }) => (isOfTheLiving ? [] : [path]));

export interface ProcessFolder {
  readonly path: string;
  readonly isOfTheLiving: boolean;
}

/** Those of the living as well. */
export function foldersOfProcesses(parent: string, prefix: string): ProcessFolder[] {
  if (!system.keepsOthersOut(statSync(parent))) return [];
  const ours = `${prefix}${pidNamespace()}-`;
  return readdirSync(parent).flatMap((name) => {
    const [, pid] = name.startsWith(ours) ? (/^([1-9]\d*)-/.exec(name.slice(ours.length)) ?? []) : [];
    if (pid === undefined) return [];
    const folder = { path: join(parent, name), isOfTheLiving: isAlive(Number(pid)) };
    return isOwnFolder(folder.path) ? [folder] : [];
  });
}

/** Made by this user, closed to all others, and no link: as `mkdtemp` makes it. */
function isOwnFolder(path: string): boolean {
  // Another engine may have been quicker.
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && system.isOwnFolder(found);
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

let namespace: string | undefined;
/** Containers may share a folder for temporary files, each with its own count of processes. */
function pidNamespace(): string {
  if (namespace === undefined) {
    try {
      namespace = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
    } catch {
      namespace = "0";
    }
  }
  return namespace;
}
