// Where git keeps a repository, and what of it git runs, or finds by where it looks for what it runs. Without git: a
// repository's own settings could run anything.
import { lstatSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join, relative, resolve, sep } from "node:path";
import { realPath } from "./real-path.ts";

/** Settings, hooks, and the file that says where to look for both. */
const WHAT_GIT_RUNS = ["hooks", "config", "config.worktree", "commondir"];
/** Repositories of their own that are kept in one: of its submodules and its worktrees. */
const KEPT_IN_IT = ["modules", "worktrees"];
/** Of a file that leads to a repository. */
const LONGEST_POINTER = 8192;

/** Of a repository that stays writable otherwise, so that commits can be made in it. */
const whatGitRuns = (repository: string): string[] => [
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

// Repositories below an agent's folder: submodules, vendored clones, worktrees. Git runs what their hooks and settings
// say, as the user who later calls git there, so an agent may not change them.

export interface Repositories {
  /** What git runs, or finds by where it looks for what it runs. Absolute paths. */
  readonly guarded: readonly string[];
  /** There may be more: there were too many folders or repositories to look at all. */
  readonly isComplete: boolean;
}

const MOST_FOLDERS = 20_000;
/** Each is one more thing that a sandbox mounts for every command. */
const MOST_REPOSITORIES = 100;
/** Packages come without repositories, and there are very many folders in it. */
const LEFT_OUT: ReadonlySet<string> = new Set(["node_modules"]);

/** Those nearest to the folder first; links are not looked through. */
export async function repositoriesBelow(folder: string): Promise<Repositories> {
  const found: string[] = [];
  const open = [folder];
  let isComplete = true;
  for (let next = 0; next < open.length; next += 1) {
    const at = open[next] ?? folder;
    for (const entry of await readdir(at, { withFileTypes: true }).catch(() => [])) {
      const path = join(at, entry.name);
      if (isGit(entry.name)) found.push(path);
      else if (entry.isDirectory() && !LEFT_OUT.has(entry.name)) open.push(path);
    }
    if (open.length <= MOST_FOLDERS && found.length <= MOST_REPOSITORIES) continue;
    isComplete = false;
    break;
  }
  const guarded = new Set<string>();
  for (const git of found.slice(0, MOST_REPOSITORIES)) for (const path of guardsOf(git, folder)) guarded.add(path);
  return { guarded: [...guarded], isComplete };
}

/** Also as the file systems of macOS and Windows take it. */
const isGit = (name: string): boolean => name.toLowerCase() === ".git";

/** Of a path relative to the agent's folder. */
export const isInGit = (path: string): boolean => path.split(/[/\\]/).some(isGit);

/** The folder's own repository stays writable where it is a folder in it, so that commits can be made; others do not. */
function guardsOf(git: string, folder: string): string[] {
  const kept = keptElsewhere(git);
  if (git === join(folder, ".git")) return isPointer(git) ? [git, ...kept] : whatGitRuns(git);
  // The rest of the world cannot be changed anyway, and what is in a `.git` is guarded with it.
  return [git, ...kept.filter((path) => path.startsWith(`${folder}${sep}`) && !isInGit(relative(folder, path)))];
}
