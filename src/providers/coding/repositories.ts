// Repositories below an agent's folder: submodules, vendored clones, worktrees. Git runs what their hooks and settings
// say, as whoever asks git for anything there later, so an agent may not change them.
import { lstatSync } from "node:fs";
import { readdir, readFile, realpath } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";

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
/** Of a repository's own folder that stays writable, so that commits can be made in it. */
const WHAT_GIT_RUNS = ["hooks", "config", "config.worktree"];

/** Those nearest to the folder first; links are not looked through. The folder's own is guarded by name, in `guarded.ts`. */
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
  for (const git of found.slice(0, MOST_REPOSITORIES))
    for (const path of await guardsOf(git, folder)) guarded.add(path);
  return { guarded: [...guarded], isComplete };
}

/** Also as the file systems of macOS and Windows take it. */
const isGit = (name: string): boolean => name.toLowerCase() === ".git";

/**
 * A nested repository as a whole: besides hooks and settings there is `commondir`, which says where to look for them. Of
 * the folder's own only what is kept in it for its submodules.
 */
async function guardsOf(git: string, folder: string): Promise<string[]> {
  const isOwn = git === join(folder, ".git");
  if (isOwn && isFolder(git)) return isFolder(join(git, "modules")) ? [join(git, "modules")] : [];
  const kept = await keptElsewhere(git);
  // The rest of the world cannot be changed anyway.
  if (!kept?.startsWith(`${folder}${sep}`) || isInGit(relative(folder, kept))) return [git];
  return [git, ...WHAT_GIT_RUNS.map((name) => join(kept, name))];
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Of a path relative to the agent's folder. */
export const isInGit = (path: string): boolean => path.split(/[/\\]/).some(isGit);

/** Where a link or a file named `.git` leads. */
async function keptElsewhere(git: string): Promise<string | undefined> {
  const stats = lstatSync(git, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink()) return await realpath(git).catch(() => undefined);
  if (!stats?.isFile() || stats.size > LONGEST_POINTER) return undefined;
  const [, path] = /^gitdir: (.+)$/m.exec(await readFile(git, "utf8").catch(() => "")) ?? [];
  return path === undefined ? undefined : await realpath(resolve(git, "..", path)).catch(() => undefined);
}

const LONGEST_POINTER = 8192;
