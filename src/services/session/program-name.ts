// How users have to call the program: npx finds a Segno that is installed in a project and not on the path.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Variables, variable } from "../../steps/process/platform.ts";

/** What commands in hints begin with: `npx segno` when npx called the program, or when no `segno` is on the path. */
export function programName(env: Variables): "segno" | "npx segno" {
  const path = variable(env, "PATH");
  return env.npm_command === "exec" || (path !== undefined && !isOnPath(path)) ? "npx segno" : "segno";
}

/** npm puts a project's own programs on the path of its scripts, but they are not on the path of a user. */
const OF_A_PROJECT = /[\\/]node_modules[\\/]\.bin[\\/]?$/;

const isOnPath = (path: string): boolean =>
  path
    .split(delimiter)
    .some((folder) => folder !== "" && !OF_A_PROJECT.test(folder) && existsSync(join(folder, "segno")));
