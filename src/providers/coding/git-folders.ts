// Where git keeps a repository, and what of it git runs, or finds by where it looks for what it runs. Without git: a
// repository's own settings could run anything.
import { lstatSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { realPath } from "./real-path.ts";

/** Settings, hooks, and the file that says where to look for both. */
const WHAT_GIT_RUNS = ["hooks", "config", "config.worktree", "commondir"];
/** Repositories of their own that are kept in one: of its submodules and its worktrees. */
const KEPT_IN_IT = ["modules", "worktrees"];
/** Of a file that leads to a repository. */
const LONGEST_POINTER = 8192;

/** Of a repository that stays writable otherwise, so that commits can be made in it. */
export const whatGitRuns = (repository: string): string[] => [
  ...WHAT_GIT_RUNS.map((name) => join(repository, name)),
  ...KEPT_IN_IT.map((name) => join(repository, name)).filter(isFolder),
];

/** A worktree, a submodule, a link: `.git` is not the repository, but leads to it. */
export function isPointer(git: string): boolean {
  const stats = statsOf(git);
  return stats !== undefined && !stats.isDirectory();
}

/**
 * What git takes for nothing said in a `commondir`: the repository shares its settings with itself. A file must be there
 * while an agent works, since a command could write one, and git would take hooks and settings from where it says; with an
 * empty one git does not work.
 */
export const SHARES_WITH_ITSELF = ".\n";

/** As far as this can be decided without git. */
export const isRepository = (git: string): boolean => isFolder(git) && statsOf(join(git, "HEAD")) !== undefined;

export const isPinnedCommonDir = (path: string): boolean =>
  basename(path) === "commondir" && firstIn(path, /^([\s\S]*)$/) === SHARES_WITH_ITSELF;

export const isLink = (path: string): boolean => statsOf(path)?.isSymbolicLink() ?? false;

/** Where a link or a file named `.git` leads, and from there on: a worktree has its own part, and one that it shares. */
export function keptElsewhere(git: string): string[] {
  if (!isPointer(git)) return [];
  const named = isLink(git) ? git : firstIn(git, /^gitdir: (.+)$/m);
  if (named === undefined) return [];
  const kept = realPath(resolve(git, "..", named));
  const shared = firstIn(join(kept, "commondir"), /^(.+)$/m);
  return shared === undefined ? [kept] : [kept, realPath(resolve(kept, shared))];
}

function firstIn(file: string, pattern: RegExp): string | undefined {
  const stats = statsOf(file);
  if (!stats?.isFile() || stats.size > LONGEST_POINTER) return undefined;
  try {
    return pattern.exec(readFileSync(file, "utf8"))?.[1];
  } catch {
    // Not ours to read: then not the agent's either.
    return undefined;
  }
}

const isFolder = (path: string): boolean => statsOf(path)?.isDirectory() ?? false;

/** Undefined also where something on the way is a file. */
function statsOf(path: string): ReturnType<typeof lstatSync> | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}
