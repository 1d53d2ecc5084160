// Removes the placeholders of sandboxes. To guard a path that does not exist, a sandbox makes an empty file or folder
// and mounts over it; when it is killed, an empty segno.yaml, .git or .bashrc stays in the user's repository. So
// missing paths are written down before an agent starts. Those that are there and empty are removed when no agent works
// in the folder any more, or by a resume.
import { lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { lstat, readdir, readFile, rm, rmdir, unlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, sep } from "node:path";
import type { AgentFileChange } from "../../base/errors/index.ts";
import { isMapping } from "../../base/errors/mapping.ts";
import { parseJson } from "../../base/json/bounded.ts";
import { isIn } from "../../base/real-path.ts";
import type { AgentProcesses, CodingTask } from "./agent.ts";
import { guardedIn, isPinnedCommonDir, isRepository, keptElsewhere, SHARES_WITH_ITSELF } from "./guarded.ts";

const RECORD = "not-there-before.json";

export interface Placeholders {
  /** To be called when nothing of the agent runs any more. */
  sweep(): Promise<void>;
}

export async function expectPlaceholders(task: CodingTask): Promise<Placeholders> {
  const { cwd, home, processes } = task;
  if (task.permissions.sandbox === "full") return { sweep: async () => {} };
  await processes.clearFolders(removeEmpty);
  const kept = await recorded(home);
  const absent = [...new Set([...candidates(task).filter(isAbsent), ...kept.absent])];
  await writeFile(join(home, RECORD), JSON.stringify({ folder: cwd, absent }), { mode: 0o600 });
  const place = await processes.enterFolder(cwd, absent);
  return {
    sweep: async () => {
      await place.leave(removeEmpty);
      await rm(join(home, RECORD), { force: true });
    },
  };
}

/** After a kill: the agent's processes have been ended by then, but another agent may work there. */
export async function sweepLeftOver(home: string, processes: AgentProcesses): Promise<void> {
  const { folder, absent } = await recorded(home);
  if (absent.length === 0 || (folder !== undefined && processes.isWorkedIn(folder))) return;
  await removeEmpty(absent);
  await rm(join(home, RECORD), { force: true });
}

/** An empty file that came or went where sandboxes put them: not the agent's work, but that of one that works beside it. */
export const isPlaceholder = ({ path, change, added, removed }: AgentFileChange): boolean =>
  change !== "modified" && added === 0 && removed === 0 && (path === "segno.yaml" || IN_FOLDER.includes(path));

function candidates(task: CodingTask): string[] {
  const { cwd } = task;
  const { readOnly } = guardedIn(task);
  const below = readOnly.filter((path) => path.startsWith(`${cwd}/`));
  const own = join(cwd, ".git");
  const kept = keptElsewhere(own);
  // Claude takes the folder that a worktree comes from for part of the worktree.
  const folders = [cwd, ...kept.filter((path) => basename(path) === ".git").map((path) => dirname(path))];
  const all = [
    ...below,
    ...[own, ...kept].flatMap((git) => IN_REPOSITORY.map((path) => join(git, path))),
    ...folders.flatMap((folder) => IN_FOLDER.map((path) => join(folder, path))),
    ...IN_HOME.map((path) => join(task.env.HOME || homedir(), path)),
  ];
  return [...new Set(all)];
}

function isAbsent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    // Below a file, as `.git` of a worktree, there is nothing, and nothing can be put there.
    return false;
  }
}

async function recorded(home: string): Promise<{ readonly folder?: string; readonly absent: readonly string[] }> {
  const text = await readFile(join(home, RECORD), "utf8").catch(() => "{}");
  try {
    const said: unknown = parseJson(text);
    const { folder, absent } = isMapping(said) ? said : { folder: undefined, absent: said };
    const paths = Array.isArray(absent) ? absent.filter((path) => typeof path === "string") : [];
    return { ...(typeof folder === "string" ? { folder } : {}), absent: paths };
  } catch {
    // Killed while it was written: nothing had been started yet.
    return { absent: [] };
  }
}

const FOLDERS = [".segno", "hooks"];

/**
 * A sandbox guards a file that is not there by mounting over one that it makes, and removes it when its command is done: the
 * guard of another agent in the folder would go with it. So Segno makes what must be guarded, and keeps it until the last
 * agent has ended. Once before an agent's process starts, and once after: then all others see that one works here.
 */
export function holdPlaces(task: CodingTask): void {
  if (task.permissions.sandbox !== "workspace" || task.processes.machine.platform !== "linux") return;
  const git = join(task.cwd, ".git");
  // Not a `.git` where there is none: git and others would take the folder for a repository.
  const isHeld = (path: string): boolean => isIn(path, task.cwd) && (isRepository(git) || !isIn(path, git));
  for (const path of guardedIn(task).readOnly) if (isHeld(path) && isAbsent(path)) hold(path);
}

function hold(path: string): void {
  try {
    if (FOLDERS.includes(basename(path))) mkdirSync(path);
    else writeFileSync(path, basename(path) === "commondir" ? SHARES_WITH_ITSELF : "", { flag: "wx" });
  } catch (error) {
    // One is there by now; or nothing can be written there, by the agent neither; or the folder that it is in is missing.
    if (!isOneOf(error, ["EEXIST", "EACCES", "EPERM", "EROFS", "ENOENT", "ENOTDIR"])) throw error;
  }
}

const isOneOf = (error: unknown, codes: readonly string[]): boolean =>
  error instanceof Error && "code" in error && codes.includes(String(error.code));

// What the sandboxes of the agents guard by themselves, besides what Segno tells them to: seen with the real packages. What
// of it is not there, they make as long as a command runs.

/** In the agent's folder. */
export const IN_FOLDER = [
  ".agents",
  ".aws",
  ".bash_profile",
  ".bashrc",
  ".claude",
  ".claude/.cc-writes",
  ".claude/agents",
  ".claude/commands",
  ".claude/hooks",
  ".claude/launch.json",
  ".claude/loop.md",
  ".claude/output-styles",
  ".claude/routines",
  ".claude/scheduled_tasks.json",
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".claude/skills",
  ".claude/workflows",
  ".codex",
  ".gemini",
  ".git",
  ".gitconfig",
  ".gitmodules",
  ".goose",
  ".idea",
  ".mcp.json",
  ".opencode",
  ".profile",
  ".ripgreprc",
  ".vscode",
  ".zprofile",
  ".zshrc",
];

/** In the user's home: empty folders that Claude makes even if it is given another folder to use. */
const IN_HOME = [".claude", ".claude/bridge-spawn", ".claude/daemon", ".claude/file-history", ".claude/ssh"];

/** In a repository. */
const IN_REPOSITORY = [
  "HEAD",
  "branches",
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

/** `.claude/agents` and the like: folders in folders, but not deep ones. */
const DEEPEST = 4;

/** The deepest first, so that a folder is empty when its turn comes. */
export async function removeEmpty(paths: readonly string[]): Promise<void> {
  const depth = (path: string): number => path.split(sep).length;
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
