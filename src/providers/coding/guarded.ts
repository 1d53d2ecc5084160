// What no agent may change under `workspace`, whatever its folder: what would run later with somebody else's rights.
import { join, relative, resolve } from "node:path";
import type { CodingTask, GuardedPaths } from "./agent.ts";
import { realPath } from "./real-path.ts";

const IN_ITS_FOLDER = [".git/hooks", ".git/config", "segno.yaml", "segno.yml", ".segno"];

export const guardedIn = ({ cwd, guarded }: Pick<CodingTask, "cwd" | "guarded">): GuardedPaths => ({
  readOnly: [...new Set([...IN_ITS_FOLDER.map((path) => join(cwd, path)), ...guarded.readOnly])],
  unreadable: guarded.unreadable,
});

/** Of a path as the agent wrote it. */
export const isReadProtected = (path: string, task: CodingTask): boolean =>
  guardedIn(task).unreadable.some((folder) => leadsInto(resolve(task.cwd, path), folder));

export const isWriteProtected = (path: string, task: CodingTask): boolean =>
  guardedIn(task).readOnly.some((guarded) => leadsInto(resolve(task.cwd, path), guarded));

/** By their real paths; the folder itself counts as well. */
export const leadsInto = (path: string, folder: string): boolean => {
  const way = relative(realPath(folder), realPath(resolve(folder, path)));
  return way === "" || !(way === ".." || way.startsWith("../") || way.startsWith("/"));
};
