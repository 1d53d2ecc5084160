// Sandboxes guard what is not there by mounting something over it, and make an empty file or folder to mount over. Killed,
// they leave it behind: an empty segno.yaml, .git or .bashrc in the user's repository. So what was not there is written
// down before an agent starts, and what of it is there and empty is removed when no agent works in the folder any more,
// or when a resume finds it.
import { lstatSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { AgentFileChange } from "../../errors/index.ts";
import { isMapping } from "../../errors/mapping.ts";
import type { CodingTask } from "./agent.ts";
import { keptElsewhere } from "./git-folders.ts";
import { guardedIn } from "./guarded.ts";
import { IN_FOLDER, IN_HOME, IN_REPOSITORY } from "./placeholder-names.ts";
import type { AgentProcesses } from "./processes.ts";
import { removeEmpty } from "./remove-empty.ts";

/** In the agent's own folder. */
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

export function isAbsent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    // Below a file, as `.git` of a worktree, there is nothing, and nothing can be put there.
    return false;
  }
}

interface Recorded {
  readonly folder?: string;
  readonly absent: readonly string[];
}

async function recorded(home: string): Promise<Recorded> {
  const text = await readFile(join(home, RECORD), "utf8").catch(() => "{}");
  try {
    const said: unknown = JSON.parse(text);
    const { folder, absent } = isMapping(said) ? said : { folder: undefined, absent: said };
    const paths = Array.isArray(absent) ? absent.filter((path) => typeof path === "string") : [];
    return { ...(typeof folder === "string" ? { folder } : {}), absent: paths };
  } catch {
    // Killed while it was written: nothing had been started yet.
    return { absent: [] };
  }
}
