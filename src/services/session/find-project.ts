// Where a project begins (`segno.yaml`, from the working folder upwards, not above the repository), and who else could
// change what lies at a path. Asked at every start, so it looks at names and permissions only.
import { existsSync, lstatSync, type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { unlessItThrows } from "../../base/errors/mapping.ts";

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

/** Why a project's file is not the user's own. A link is not: in a shared folder anyone can point it elsewhere. */
export function whyNotOurs(file: string): string | undefined {
  if (lstatSync(file).isSymbolicLink()) return "is a link";
  const me = process.geteuid?.();
  const isOurs = me === undefined || [file, dirname(file)].every((path) => lstatSync(path).uid === me);
  return isOurs ? undefined : "belongs to another user";
}

const ROOT = 0;
const BY_GROUP = 0o020;
const BY_ALL = 0o002;
const STICKY = 0o1000;

/** Why others could write or rename a path, or a folder from `top` to it; nothing when only we and root can. */
export function exposure(path: string, top: string): string | undefined {
  const me = process.geteuid?.();
  if (me === undefined) return undefined;
  for (let one = path; ; one = dirname(one)) {
    const why = exposedBy(lstatSync(one), me);
    if (why !== undefined) return `${one} ${why}`;
    if (one === top || dirname(one) === one) return undefined;
  }
}

/** Why others may write a folder, sticky or not, if only to add something. Root may use others', as in containers. */
export function sharedWith(folder: string): string | undefined {
  const me = process.geteuid?.();
  const stats = statsOf(folder);
  if (me === undefined || !stats) return undefined;
  if (stats.uid !== me && stats.uid !== ROOT && me !== ROOT) return "belongs to another user";
  return canBeWrittenByOthers(stats, me) ? "can be written by others" : undefined;
}

/** A folder that cannot be inspected cannot be used either, and the attempt to use it reports why. */
const statsOf = (folder: string): Stats | undefined =>
  unlessItThrows(() => statSync(folder, { throwIfNoEntry: false }), undefined);

function exposedBy(stats: Stats, me: number): string | undefined {
  if (stats.isSymbolicLink()) return "is a link";
  if (stats.uid !== me && stats.uid !== ROOT) return "belongs to another user";
  // In a sticky folder everybody may add something, but not take our files' places.
  if (stats.isDirectory() && stats.mode & STICKY) return undefined;
  return canBeWrittenByOthers(stats, me) ? "can be written by others (chmod go-w takes that from them)" : undefined;
}

/** Many systems give every user a group of their own, with the same number, and let it write. */
const canBeWrittenByOthers = ({ mode, gid }: Stats, me: number): boolean =>
  (mode & BY_ALL) !== 0 || ((mode & BY_GROUP) !== 0 && gid !== me);
