// Who else could change what lies at a path: a user who may write a file, or rename it in its folder, controls it.

import { lstatSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { unlessItThrows } from "../../errors/mapping.ts";

const ROOT = 0;
const BY_GROUP = 0o020;
const BY_ALL = 0o002;
const STICKY = 0o1000;

/** Why a path, or a folder on the way from `top`, is not ours alone; nothing when it is. Root may have put it there. */
export function exposure(path: string, top: string): string | undefined {
  const me = process.geteuid?.();
  if (me === undefined) return undefined;
  for (let one = path; ; one = dirname(one)) {
    const why = exposedBy(lstatSync(one), me);
    if (why !== undefined) return `${one} ${why}`;
    if (one === top || dirname(one) === one) return undefined;
  }
}

/**
 * Why what lies in a folder may be another user's: it is theirs, or they may write it, if only to add something, so a
 * sticky folder is no exception here. Nothing when it is ours or not there. Root may use others', as containers do.
 */
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
