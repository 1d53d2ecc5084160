// What Claude's sandbox puts into a folder while a command runs is no work of the agent: git is made to ignore it, so
// that `git add -A` works in a command. By a file of the agent's own, in place of the user's list, which stands in it too.
import { existsSync, lstatSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative } from "node:path";
import type { CodingTask } from "../agent.ts";
import { guardedIn } from "../guarded.ts";
import { IN_FOLDER } from "../placeholder-names.ts";

/** Writes the list, and gives the variables by which git finds it. */
export async function excludeFromGit(task: CodingTask, temporary: string): Promise<Readonly<Record<string, string>>> {
  const { cwd, env } = task;
  const file = join(temporary, "git-excludes");
  const guarded = guardedIn(task).readOnly.map((path) => relative(cwd, path));
  const names = [...IN_FOLDER, ...guarded.filter((path) => !/^\.(?:\.|git)(?:\/|$)/.test(path))];
  const above = relative(repositoryOf(cwd), cwd);
  const patterns = names
    .filter((name) => saysNothing(join(cwd, name)))
    .map((name) => patternOf(join("/", above, name)));
  await writeFile(file, [await excludesOfUser(env.HOME || homedir()), ...patterns, ""].join("\n"));
  return { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "core.excludesFile", GIT_CONFIG_VALUE_0: file };
}

/** It is not there, or is what a sandbox made of it. */
function saysNothing(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined || (stats.isFile() && stats.size === 0);
}

const patternOf = (path: string): string => path.replace(/[\\*?[\] ]/g, "\\$&");

function repositoryOf(cwd: string): string {
  for (let at = cwd; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return cwd;
  }
}

/** The list that git would look at otherwise. */
async function excludesOfUser(home: string): Promise<string> {
  const configs = await Promise.all([".gitconfig", ".config/git/config"].map((name) => textOf(join(home, name))));
  const [named] = configs.flatMap((config) => /^\s*excludesfile\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(config)?.[1] ?? []);
  const file = named?.replace(/^~(?=\/)/, home) ?? join(home, ".config/git/ignore");
  return isAbsolute(file) ? await textOf(file) : "";
}

const textOf = (file: string): Promise<string> => readFile(file, "utf8").catch(() => "");
