// A temporary folder that only this user can enter; in memory where the system has room for that. On a busy disk, making
// and removing one small file for every script costs as much as the script.
import { lstatSync, mkdtempSync, readdirSync, readlinkSync, rmdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

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
  const name = `${PREFIX}${pidNamespace()}-${process.pid}-`;
  try {
    const parent = preferred();
    if (!hasSwept) sweep(parent);
    hasSwept = true;
    return mkdtempSync(join(parent, name));
  } catch {
    return mkdtempSync(join(tmpdir(), name));
  }
}

/** Whoever sets TMPDIR has a reason for it. */
const preferred = (): string => (process.platform === "linux" && !process.env.TMPDIR ? "/dev/shm" : tmpdir());

function removeAll(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

/**
 * Removes what engines left behind that were killed. Only pids of this namespace say anything about who lives. The place is
 * everybody's: what another user made there under such a name stays, since whoever owns a folder can put a link into it
 * while it is being removed, and so choose what is removed.
 */
export function sweep(parent: string): void {
  if (!keepsOthersOut(parent)) return;
  const ours = `${PREFIX}${pidNamespace()}-`;
  for (const name of readdirSync(parent)) {
    const [, pid] = name.startsWith(ours) ? (/^([1-9]\d*)-/.exec(name.slice(ours.length)) ?? []) : [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const path = join(parent, name);
    try {
      if (isOwnFolder(path)) rmSync(path, { recursive: true, force: true });
    } catch {
      // Another engine was quicker.
    }
  }
}

/** Made by this user, entered by nobody else, and no link: as `mkdtemp` makes it. */
function isOwnFolder(path: string): boolean {
  const found = lstatSync(path);
  return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o777) === 0o700;
}

const STICKY = 0o1000;
const WRITABLE_BY_OTHERS = 0o022;

/** Whether nobody else can exchange a folder of ours for a link between the look and the removal. */
function keepsOthersOut(parent: string): boolean {
  const { mode } = statSync(parent);
  return (mode & WRITABLE_BY_OTHERS) === 0 || (mode & STICKY) !== 0;
}

function isAlive(pid: number): boolean {
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
