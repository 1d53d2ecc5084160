// Sandboxes guard what is not there by mounting something over it, and make an empty file or folder to mount over. Killed,
// they leave it behind: an empty segno.yaml, .git or .bashrc in somebody's repository. So what was not there is written
// down before an agent starts, and what of it is there and empty is removed when it has ended, or when a resume finds it.
import { lstatSync } from "node:fs";
import { lstat, readdir, readFile, rm, rmdir, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { CodingTask } from "./agent.ts";
import { isPinnedCommonDir, keptElsewhere } from "./git-folders.ts";
import { guardedIn } from "./guarded.ts";

/** What the agents' own sandboxes guard besides, seen with the real packages. */
const KNOWN = [
  ".agents",
  ".aws",
  ".bash_profile",
  ".bashrc",
  ".claude",
  ".codex",
  ".git",
  ".gitconfig",
  ".gitmodules",
  ".idea",
  ".mcp.json",
  ".profile",
  ".ripgreprc",
  ".vscode",
  ".zprofile",
  ".zshrc",
];
const IN_GIT = [
  "HEAD",
  "commondir",
  "config",
  "config.lock",
  "config.worktree",
  "config.worktree.lock",
  "glab-cli",
  "hooks",
  "info/.claude-sandbox-noreplace",
  "info/attributes",
  "info",
  "modules",
  "objects/info/.claude-sandbox-noreplace",
  "objects/info/alternates",
  "objects/info/commit-graph",
  "objects/info/commit-graphs",
  "objects/info/http-alternates",
  "objects/info",
  "objects",
  "refs",
  "remotes",
  "worktrees",
];

/** In the agent's own folder. */
const RECORD = "not-there-before.json";
/** `.claude/agents` and the like: folders in folders, but not deep ones. */
const DEEPEST = 4;

export interface Placeholders {
  /** To be called when nothing of the agent runs any more. */
  sweep(): Promise<void>;
}

/** Agents of this process by folder: what is mounted over for one must not be taken away when another ends. */
const working = new Map<string, { agents: number; readonly absent: Set<string> }>();

export async function expectPlaceholders(task: CodingTask): Promise<Placeholders> {
  const { cwd, home } = task;
  if (task.permissions.sandbox === "full") return { sweep: async () => {} };
  const here = working.get(cwd) ?? { agents: 0, absent: new Set<string>() };
  working.set(cwd, here);
  here.agents += 1;
  for (const path of absentOf(candidates(task))) here.absent.add(path);
  await writeFile(join(home, RECORD), JSON.stringify([...here.absent]), { mode: 0o600 });
  return {
    sweep: async () => {
      here.agents -= 1;
      if (here.agents > 0) return;
      working.delete(cwd);
      await removeEmpty([...here.absent]);
      await rm(join(home, RECORD), { force: true });
    },
  };
}

/** After a kill: the agent's processes have been ended by then. */
export async function sweepLeftOver(home: string): Promise<void> {
  const text = await readFile(join(home, RECORD), "utf8").catch(() => undefined);
  if (text === undefined) return;
  await removeEmpty(pathsIn(text));
  await rm(join(home, RECORD), { force: true });
}

function candidates(task: CodingTask): string[] {
  const { cwd } = task;
  const { readOnly } = guardedIn(task);
  const below = readOnly.filter((path) => path.startsWith(`${cwd}/`));
  const own = join(cwd, ".git");
  const kept = keptElsewhere(own);
  // Claude takes the folder that a worktree comes from for part of the worktree.
  const folders = [cwd, ...kept.filter((path) => basename(path) === ".git").map((path) => dirname(path))];
  const inGit = [own, ...kept].flatMap((git) => IN_GIT.map((path) => join(git, path)));
  return [...new Set([...below, ...inGit, ...folders.flatMap((folder) => KNOWN.map((path) => join(folder, path)))])];
}

const absentOf = (paths: readonly string[]): string[] => paths.filter(isAbsent);

function isAbsent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    // Below a file, as `.git` of a worktree, there is nothing, and nothing can be put there.
    return false;
  }
}

function pathsIn(text: string): string[] {
  try {
    const paths: unknown = JSON.parse(text);
    return Array.isArray(paths) ? paths.filter((path) => typeof path === "string") : [];
  } catch {
    // Killed while it was written: nothing had been started yet.
    return [];
  }
}

/** The deepest first, so that a folder is empty when its turn comes. */
async function removeEmpty(paths: readonly string[]): Promise<void> {
  const depth = (path: string): number => path.split("/").length;
  for (const path of [...paths].sort((one, other) => depth(other) - depth(one))) await removeIfEmpty(path, 0);
}

async function removeIfEmpty(path: string, depth: number): Promise<void> {
  // A link that the agent made would lead out of its folder.
  if ((await lstat(dirname(path)).catch(() => undefined))?.isSymbolicLink()) return;
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isFile() && (stats.size === 0 || isPinnedCommonDir(path))) await unlink(path).catch(() => {});
  if (!stats?.isDirectory() || depth > DEEPEST) return;
  for (const name of await readdir(path).catch(() => [])) await removeIfEmpty(join(path, name), depth + 1);
  await rmdir(path).catch(() => {});
}
