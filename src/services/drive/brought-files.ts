// The workflow's own files on a machine that has not the folders they are from: a worker of a fleet. They are laid out below
// one folder as they were, so that what they say of each other holds, and scripts run there.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Where the files of a run are laid out. */
export const broughtFolder = (home: string, runId: string): string => join(home, "brought", runId);

/** Where a folder is on this machine; nothing when it is where it says, or nowhere. */
export type FolderHere = (folder: string) => string | undefined;

/** The files are written when a folder is missed for the first time. */
export function broughtFiles(base: string, sources: () => ReadonlyMap<string, string>): FolderHere {
  let isLaidOut = false;
  const here = (path: string): string => join(base, resolve("/", path).replace(/^([a-z]):/i, "$1"));
  const layOut = (): void => {
    if (isLaidOut) return;
    isLaidOut = true;
    for (const [path, text] of sources()) {
      mkdirSync(dirname(here(path)), { recursive: true, mode: 0o700 });
      writeFileSync(here(path), text, { mode: 0o600 });
    }
  };
  return (folder) => {
    if (existsSync(folder)) return undefined;
    layOut();
    return existsSync(here(folder)) ? here(folder) : undefined;
  };
}

export const removeBrought = (home: string, runId: string): void =>
  rmSync(broughtFolder(home, runId), { recursive: true, force: true });
