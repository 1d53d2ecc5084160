// A temporary folder that only this user can enter, in memory where there is room, and the file in it through which a
// script raises. Scripts may change or replace that file, so its content is checked as input from outside.
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { ErrorFileContent } from "../world.ts";
import { system } from "./here.ts";
import { openForReading, PLATFORM } from "./platform.ts";

const PREFIX = "segno-errors-";
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

/** Memory: on a busy disk a small file costs as much as the script that it is for. A TMPDIR that is set takes precedence. */
const preferred = (): string => (PLATFORM === "linux" && !process.env.TMPDIR ? "/dev/shm" : tmpdir());

function removeAll(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

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
 * Only pids of this namespace say anything about who lives. What another user made under such a name is not among them: the
 * owner of a folder can put a link into it while it is removed, and so choose what is removed.
 */
export const foldersLeftBehind = (parent: string, prefix: string): string[] =>
  foldersOfProcesses(parent, prefix).flatMap(({ path, isOfTheLiving }) => (isOfTheLiving ? [] : [path]));

export interface ProcessFolder {
  readonly path: string;
  readonly isOfTheLiving: boolean;
}

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

const LARGEST = 1024 * 1024;

/** The error files of this process share one private folder, which exists only while a script runs. */
interface Folder {
  readonly path: string;
  inUse: number;
}

let shared: Folder | undefined;
let serial = 0;

export interface ErrorFile {
  readonly path: string;
  read(): ErrorFileContent;
  remove(): void;
}

export function makeErrorFile(): ErrorFile {
  const { path, folder } = makeFile();
  return {
    path,
    read: () => readErrorFile(path),
    remove: () => {
      removeWhateverIsThere(path);
      leave(folder);
    },
  };
}

function makeFile(): { path: string; folder: Folder } {
  const folder = enter();
  const path = join(folder.path, `error-${++serial}.json`);
  try {
    closeSync(openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600));
    return { path, folder };
  } catch (error) {
    leave(folder);
    // A cleaner of temporary files may take the folder from under a script that runs for days.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || folder.inUse === 0) throw error;
    shared = undefined;
    return makeFile();
  }
}

function enter(): Folder {
  shared ??= { path: makePrivateFolder(), inUse: 0 };
  shared.inUse++;
  return shared;
}

function leave(folder: Folder): void {
  if (--folder.inUse > 0) return;
  if (shared === folder) shared = undefined;
  // With whatever a background child wrote into it late.
  removePrivateFolder(folder.path);
}

function removeWhateverIsThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // What cannot be removed now goes with the folder, or stays: a script's own doing must not fail its step.
    }
  }
}

/** Missing and empty mean that nothing was raised; every other failure to read is said, never swallowed. */
function readErrorFile(path: string): ErrorFileContent {
  if (isAsMade(path)) return { text: "" };
  let file: number;
  try {
    // A link may lead anywhere and a named pipe would block for ever: neither is followed nor waited for.
    file = openForReading(path, { noLink: true });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT") return { text: "" };
    return { unreadable: code === "ELOOP" ? "it is a symbolic link" : `it cannot be opened (${code})` };
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { unreadable: stat.isDirectory() ? "it is a directory" : "it is not a plain file" };
    if (stat.size === 0) return { text: "" };
    const bytes = readAtMost(file, LARGEST + 1);
    if (bytes.length > LARGEST) return { unreadable: "it is larger than 1 MiB" };
    // `>` of Windows PowerShell writes UTF-16, and says so in its first two bytes.
    const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-8";
    return { text: new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch (error) {
    if (error instanceof TypeError) return { unreadable: "it is not UTF-8" };
    return { unreadable: `it cannot be read (${(error as NodeJS.ErrnoException).code})` };
  } finally {
    closeSync(file);
  }
}

/** Nearly always it is: one look is cheaper than opening it. */
function isAsMade(path: string): boolean {
  try {
    const found = lstatSync(path);
    return found.isFile() && found.size === 0;
  } catch {
    return false;
  }
}

function readAtMost(file: number, limit: number): Buffer {
  const buffer = Buffer.allocUnsafe(Math.min(limit, Math.max(fstatSync(file).size, 1) + 1));
  let length = 0;
  while (length < buffer.length) {
    const read = readSync(file, buffer, length, buffer.length - length, null);
    if (read === 0) break;
    length += read;
  }
  return buffer.subarray(0, length);
}
