// Repositories below an agent's folder: submodules, vendored clones, worktrees. Git runs what their hooks and settings
// say, as the user who later calls git there, so an agent may not change them.
import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { isPointer, keptElsewhere, whatGitRuns } from "./git-folders.ts";

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
