// A path as people see it: relative to where they stand, unless that would lead upwards.
import { relative, resolve } from "node:path";

export function shownPath(file: string, cwd: string): string {
  const short = relative(cwd, file);
  return short === "" || short.startsWith("..") ? file : short;
}

/** The same of a file that was named in any way. */
export const shownFile = (file: string, cwd: string): string => shownPath(resolve(cwd, file), cwd);
