// Takes away what sandboxes left where nothing was before: only what is empty, or is Segno's own.
import { lstat, readdir, rmdir, unlink } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { isPinnedCommonDir } from "./git-folders.ts";

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
