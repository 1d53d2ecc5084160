// What no agent may change under `workspace`, whatever its folder: what would run later with a user's rights. What git runs
// is found without git: a repository's own settings could run anything.
import { lstatSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { pathWithin } from "../../base/errors/path-within.ts";
import { isIn, realPath } from "../../base/real-path.ts";
import { ProviderFailure } from "../../providers/failure.ts";
import { readRegularFile } from "../../storage/regular-file.ts";
import type { CodingTask, GuardedPaths } from "./agent.ts";
import { PACKAGES } from "./permissions.ts";

const IN_ITS_FOLDER = ["segno.yaml", ".segno"];
/** Also where there is no repository yet; of one that is there `whatGitRuns` has the rest. */
const IN_GIT = [".git/hooks", ".git/config"];

/**
 * What is guarded from an agent: every adapter renders this list and adds nothing to it. Each path stands in it once, by its
 * strongest mode: hidden, then read-only. What is in neither list is as the sandbox says.
 */
export function guardedIn({ cwd, guarded, env }: Pick<CodingTask, "cwd" | "guarded" | "env">): GuardedPaths {
  // Nothing can be hidden that is not there; but it may not be made either.
  const isToCome = (path: string): boolean => isIn(path, cwd) && statsOf(path) === undefined;
  const unreadable = guarded.unreadable.filter((path) => !isToCome(path));
  const own = [...ownNames(cwd).map((path) => join(cwd, path)), ...hookFolders(cwd, env)];
  const readOnly = [...own, ...guarded.readOnly, ...guarded.unreadable.filter(isToCome)];
  const isHidden = (path: string): boolean => unreadable.some((hidden) => isIn(path, hidden));
  return { readOnly: [...new Set(readOnly)].filter((path) => !isHidden(path)), unreadable };
}

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
export const leadsInto = (path: string, folder: string): boolean =>
  pathWithin(realPath(folder), realPath(resolve(folder, path))) !== undefined;

/** Settings, hooks, and the file that says where to look for both. */
const WHAT_GIT_RUNS = ["hooks", "config", "config.worktree", "commondir"];
/** Repositories of their own that are kept in one: of its submodules and its worktrees. */
const KEPT_IN_IT = ["modules", "worktrees"];
const LONGEST_POINTER = 8192;

/** Of a repository that stays writable otherwise, so that commits can be made in it. */
const whatGitRuns = (repository: string): string[] => [
  ...WHAT_GIT_RUNS.map((name) => join(repository, name)),
  ...KEPT_IN_IT.map((name) => join(repository, name)).filter(isFolder),
];

/** A worktree, a submodule, a link: `.git` is not the repository, but leads to it. */
function isPointer(git: string): boolean {
  const stats = statsOf(git);
  return stats !== undefined && !stats.isDirectory();
}

/** What git takes for nothing said in a `commondir`. Without one a command could write it; with an empty one git fails. */
export const SHARES_WITH_ITSELF = ".\n";

export const isRepository = (git: string): boolean => isFolder(git) && statsOf(join(git, "HEAD")) !== undefined;

export const isPinnedCommonDir = (path: string): boolean =>
  basename(path) === "commondir" && firstIn(path, /^([\s\S]*)$/) === SHARES_WITH_ITSELF;

const isLink = (path: string): boolean => statsOf(path)?.isSymbolicLink() ?? false;

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

// `core.hooksPath` names another folder for hooks, in the repository's settings or in the user's, or in a file that these take
// in. Read without git, and every `path` and `hooksPath` counts, in whatever section: one too many is only guarded.

const MOST_SETTINGS = 50;
const LONGEST_SETTINGS = 256 * 1024;

/** Below the agent's folder: where git may find hooks, and the settings that say so. */
function hookFolders(cwd: string, env: CodingTask["env"]): string[] {
  const home = env.HOME || homedir();
  const git = join(cwd, ".git");
  const open = [
    ...[git, ...keptElsewhere(git)].flatMap((kept) => [join(kept, "config"), join(kept, "config.worktree")]),
    ...[join(home, ".gitconfig"), join(env.XDG_CONFIG_HOME || join(home, ".config"), "git/config"), "/etc/gitconfig"],
    ...(env.GIT_CONFIG_GLOBAL ? [env.GIT_CONFIG_GLOBAL] : []),
  ];
  const found = new Set<string>();
  // The list grows while it is gone through.
  for (let index = 0; index < open.length && index < MOST_SETTINGS; index += 1) {
    const file = open[index] ?? "";
    for (const [, name = "", value = ""] of settingsText(file).matchAll(
      /^[ \t]*(hookspath|path)[ \t]*=[ \t]*(.+?)[ \t]*$/gim,
    )) {
      const written = value.replace(/^"(.*)"$/, "$1").replace(/^~(?=\/)/, home);
      const isHooks = name.toLowerCase() === "hookspath";
      const path = resolve(isHooks ? cwd : dirname(file), written);
      if (!isHooks) open.push(path);
      // What husky calls its hooks folder runs what lies beside it.
      found.add(isHooks && basename(path) === "_" ? dirname(path) : path);
    }
  }
  return [...found].filter((path) => path !== cwd && isIn(path, cwd));
}

function settingsText(file: string): string {
  try {
    return readRegularFile(file, { largest: LONGEST_SETTINGS }).toString("utf8");
  } catch {
    return "";
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
  /** Where packages put commands: the next `npx`, or a script with that folder in PATH, would run what lies there. */
  readonly bins: readonly string[];
  /** There may be more: there were too many folders or repositories to look at all. */
  readonly isComplete: boolean;
}

const MOST_FOLDERS = 20_000;
/** Each is one more thing that a sandbox mounts for every command. */
const MOST_REPOSITORIES = 100;

/** Those nearest to the folder first; links are not looked through. */
export async function repositoriesBelow(folder: string): Promise<Repositories> {
  const found: string[] = [];
  const bins: string[] = [];
  const open = [folder];
  let isComplete = true;
  for (let next = 0; next < open.length; next += 1) {
    const at = open[next] ?? folder;
    for (const entry of await readdir(at, { withFileTypes: true }).catch(() => [])) {
      const path = join(at, entry.name);
      if (isGit(entry.name)) found.push(path);
      else if (entry.isDirectory() && entry.name === PACKAGES) bins.push(join(path, ".bin"));
      else if (entry.isDirectory()) open.push(path);
    }
    if (open.length <= MOST_FOLDERS && found.length <= MOST_REPOSITORIES) continue;
    isComplete = false;
    break;
  }
  const guarded = new Set<string>();
  for (const git of found.slice(0, MOST_REPOSITORIES)) for (const path of guardsOf(git, folder)) guarded.add(path);
  return { guarded: [...guarded], bins: bins.slice(0, MOST_REPOSITORIES).filter(isFolder), isComplete };
}

/** Also as the file systems of macOS and Windows take it. */
const isGit = (name: string): boolean => name.toLowerCase() === ".git";

export const isInGit = (path: string): boolean => path.split(/[/\\]/).some(isGit);

/** The folder's own repository stays writable where it is a folder in it, so that commits can be made; others do not. */
function guardsOf(git: string, folder: string): string[] {
  const kept = keptElsewhere(git);
  if (git === join(folder, ".git")) return isPointer(git) ? [git, ...kept] : whatGitRuns(git);
  // The rest of the world cannot be changed anyway, and what is in a `.git` is guarded with it.
  return [git, ...kept.filter((path) => path.startsWith(`${folder}${sep}`) && !isInGit(relative(folder, path)))];
}
