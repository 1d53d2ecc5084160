// What no agent may change under `workspace`, whatever its folder: what would run later with a user's rights.
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { ProviderFailure } from "../failure.ts";
import type { CodingTask, GuardedPaths } from "./agent.ts";
import { isLink, isPointer } from "./git-folders.ts";
import { realPath } from "./real-path.ts";

const IN_ITS_FOLDER = ["segno.yaml", ".segno"];
/** Also where there is no repository yet; of one that is there `git-folders.ts` has the rest. */
const IN_GIT = [".git/hooks", ".git/config"];

export const guardedIn = ({ cwd, guarded }: Pick<CodingTask, "cwd" | "guarded">): GuardedPaths => ({
  readOnly: [...new Set([...ownNames(cwd).map((path) => join(cwd, path)), ...guarded.readOnly])],
  unreadable: guarded.unreadable,
});

const ownNames = (cwd: string): readonly string[] =>
  isPointer(join(cwd, ".git")) ? [".git", ...IN_ITS_FOLDER] : [...IN_GIT, ...IN_ITS_FOLDER];

/** A sandbox guards what a link leads to, but not the link: an agent could put a repository of its own in its place. */
export function refuseLinkedRepository({ cwd, permissions }: Pick<CodingTask, "cwd" | "permissions">): void {
  const git = join(cwd, ".git");
  if (permissions.sandbox !== "workspace" || !isLink(git)) return;
  throw new ProviderFailure(
    "unready",
    `${git} is a link, which an agent could replace under sandbox: workspace. Put a file with the line "gitdir: ${realPath(git)}" in its place, which git takes as well, or give the agent a git worktree`,
  );
}

/** Of a path as the agent wrote it. */
export const isReadProtected = (path: string, task: CodingTask): boolean =>
  guardedIn(task).unreadable.some((folder) => leadsInto(resolve(task.cwd, path), folder));

export const isWriteProtected = (path: string, task: CodingTask): boolean =>
  guardedIn(task).readOnly.some((guarded) => leadsInto(resolve(task.cwd, path), guarded));

/** By their real paths; the folder itself counts as well. */
export const leadsInto = (path: string, folder: string): boolean => {
  const way = relative(realPath(folder), realPath(resolve(folder, path)));
  return !(way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way));
};
