// A temporary folder that only this user can enter; in memory where the system has room for that. On a busy disk, making
// and removing one small file for every script costs as much as the script.
import { mkdtempSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { foldersLeftBehind, namedAfterThisProcess } from "./left-behind.ts";
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
