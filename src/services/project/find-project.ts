// Where a project begins: `segno.yaml`, from the working folder upwards, not above the repository. Asked at every start,
// so it looks at names only.
import { existsSync, lstatSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

export const PROJECT_FILE = "segno.yaml";

export function findProjectFile(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const file = join(folder, PROJECT_FILE);
    if (isSaid(file)) return file;
    if (existsSync(join(folder, ".git")) || dirname(folder) === folder) return undefined;
  }
}

/** The folder that a command is about: the project's, or where it was given. */
export function projectFolder(cwd: string): string {
  const file = findProjectFile(cwd);
  return file === undefined ? cwd : dirname(file);
}

/** An empty file says nothing: the sandbox of an agent puts one here while a command runs, so that none can be made. */
function isSaid(file: string): boolean {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats !== undefined && !(stats.isFile() && stats.size === 0);
  } catch (error) {
    // Asked below a file, such as one that was given as a folder.
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return false;
    throw error;
  }
}

/**
 * Why a project's file is not the user's own: a user who may write it decides what happens here. A link counts as another
 * user's: in a shared folder anyone can point it to a file that is ours.
 */
export function whyNotOurs(file: string): string | undefined {
  if (lstatSync(file).isSymbolicLink()) return "is a link";
  const me = process.geteuid?.();
  const isOurs = me === undefined || [file, dirname(file)].every((path) => lstatSync(path).uid === me);
  return isOurs ? undefined : "belongs to another user";
}
