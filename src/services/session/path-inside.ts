// Whether a path leads below a folder, wherever links and `..` on the way would take it. Reading a file that a user named
// is offered beside it, since whoever asks the one mostly does the other.
import { readlinkSync, realpathSync } from "node:fs";
import { relative, resolve } from "node:path";
import { unlessItThrows } from "../../base/errors/mapping.ts";
import { pathWithin } from "../../base/errors/path-within.ts";

/** Both ends with links followed. A file that does not exist yet counts by the nearest folder that does. */
export const isBelow = (file: string, root: string): boolean => relativeInside(file, root) !== undefined;

/** The way there from the root, with links followed at both ends; nothing when it is elsewhere. */
export const relativeInside = (file: string, root: string): string | undefined =>
  pathWithin(real(root), real(file)) || undefined;

export function real(path: string, links = MOST_LINKS): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = resolve(path, "..");
    // A link to what is not there leads there all the same.
    const target = links > 0 ? linkTarget(path) : undefined;
    if (target !== undefined) return real(resolve(parent, target), links - 1);
    return parent === path ? path : resolve(real(parent, links), relative(parent, path));
  }
}

/** Links that lead in a circle lead nowhere. */
const MOST_LINKS = 40;

const linkTarget = (path: string): string | undefined => unlessItThrows(() => readlinkSync(path), undefined);

export { readRegularFile } from "../../storage/regular-file.ts";
