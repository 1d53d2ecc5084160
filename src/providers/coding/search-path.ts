// Where the agent's process looks for programs. It starts bwrap, socat and git by their names and outside of every sandbox,
// so it must not find them in a folder that the agent may write: `npx` puts node_modules/.bin of the folder that it is
// started in before everything else, and an agent that writes a `git` there would escape.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { isIn, realPath } from "./real-path.ts";

/** `path` without what is below the folder, by whatever links, and without relative entries. */
export const searchPathOutside = (path: string, folder: string): string =>
  foldersIn(path)
    .filter((one) => isAbsolute(one) && !isIn(realPath(one), folder))
    .join(delimiter);

const foldersIn = (path: string): string[] => path.split(delimiter);

/** The file that a name stands for; relative entries of the path are ignored. */
export function programOn(path: string, name: string): string | undefined {
  return foldersIn(path)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
