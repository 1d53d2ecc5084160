// Files of Claude: its session, a user's own setup that is brought to it, and what git is made to ignore.
import { existsSync, lstatSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative } from "node:path";
import { isMapping } from "../../../errors/mapping.ts";
import { parseJson } from "../../../json/bounded.ts";
import type { CodingTask } from "../agent.ts";
import { guardedIn } from "../guarded.ts";
import { bringSettings, ofUser } from "../permissions.ts";
import { IN_FOLDER } from "../placeholders.ts";
import { type SessionLine, tellsTask } from "../sessions.ts";

// What Claude keeps of a session: `projects/FOLDER/ID.jsonl`, in which every line that was said names the one before it.

export async function hasSession(home: string, id: string): Promise<boolean> {
  const projects = join(home, "projects");
  const folders = await readdir(projects).catch(() => []);
  const file = folders.map((folder) => join(projects, folder, `${id}.jsonl`)).find((one) => existsSync(one));
  return file !== undefined && (await tellsTask(file, beginsWell()));
}

/** A file that begins in the middle was written by a process that went on when the folder was gone. */
function beginsWell(): (line: SessionLine) => "task" | "damaged" | "go on" {
  let hasBegun = false;
  return (line) => {
    if (!("parentUuid" in line)) return "go on";
    if (!hasBegun && line.parentUuid !== null) return "damaged";
    hasBegun = true;
    return line.type === "user" ? "task" : "go on";
  };
}

/** Claude does not take the file that it was to go on with. */
export function isUnknownSession({ session }: CodingTask, said: unknown): boolean {
  const text =
    said instanceof Error ? said.message : Array.isArray(said) || isMapping(said) ? JSON.stringify(said) : "";
  return !session.isNew && /No conversation found/i.test(text);
}

/**
 * What a sandbox puts into a folder is no work of the agent: git is made to ignore it, by a list of the agent's own in which
 * the user's stands too. Writes it, and gives the variables by which git finds it.
 */
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

const OF_USER = ["settings.json", "CLAUDE.md", "agents", "commands", "hooks", "rules", "skills"];

/** For `settings: user`: settings with their hooks, instructions, skills and MCP servers. */
export async function bringClaudeSettings({ env, home }: CodingTask): Promise<void> {
  const folder = ofUser(env, "CLAUDE_CONFIG_DIR", ".claude");
  await bringSettings(folder, OF_USER, home);
  // Beside the servers that file holds a login and a history, which are not brought.
  const file = env.CLAUDE_CONFIG_DIR ? join(folder, ".claude.json") : join(env.HOME || homedir(), ".claude.json");
  const mcpServers = mapping(await read(file)).mcpServers;
  if (mcpServers === undefined) return;
  const own = join(home, ".claude.json");
  await writeFile(own, JSON.stringify({ ...mapping(await read(own)), mcpServers }), { mode: 0o600 });
}

async function read(file: string): Promise<unknown> {
  try {
    return parseJson(await readFile(file, "utf8"));
  } catch {
    return undefined;
  }
}

const mapping = (value: unknown): Readonly<Record<string, unknown>> => (isMapping(value) ? value : {});
