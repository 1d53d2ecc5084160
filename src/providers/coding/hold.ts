// A sandbox guards a file that is not there by mounting over one that it makes, and removes that when its command is done.
// Another agent in the same folder takes such a file for one that is there; with its removal the guard of that other goes,
// in the middle of a command. So Segno itself makes what must be guarded, before any agent starts, and keeps it until the
// last one has ended.
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { CodingTask } from "./agent.ts";
import { isRepository, SHARES_WITH_ITSELF } from "./git-folders.ts";
import { guardedIn } from "./guarded.ts";
import { isAbsent } from "./placeholders.ts";
import { isIn } from "./real-path.ts";

const FOLDERS = [".segno", "hooks"];

/** Once before the agent's process is started, and once after: then every other agent sees that one works here. */
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
