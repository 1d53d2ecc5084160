// A path as people see it: relative to where they stand, unless that would lead upwards.
import { relative } from "node:path";

export function shownPath(file: string, cwd: string): string {
  const short = relative(cwd, file);
  return short === "" || short.startsWith("..") ? file : short;
}
