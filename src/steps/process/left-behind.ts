// Temporary folders whose names say which process made them. So those of killed processes can be found: a folder has
// its name from the moment that it is there.
import { lstatSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { system } from "./here.ts";

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
