// Paths as the file system has them, whatever links lead there: by another name a file would not be guarded.
import { realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/** Through links, also where the file itself is not there yet. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), relative(parent, path));
  }
}

/** Both as the file system has them; a folder is in itself. */
export const isIn = (path: string, folder: string): boolean =>
  `${path}${sep}`.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
