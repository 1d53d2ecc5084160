// Whether a path leads below a folder, by their names alone: links are not followed.
import { isAbsolute, relative, sep } from "node:path";

/** The way there from the folder, empty for the folder itself; nothing when it leads elsewhere. */
export function pathWithin(folder: string, path: string): string | undefined {
  const way = relative(folder, path);
  return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way) ? undefined : way;
}
