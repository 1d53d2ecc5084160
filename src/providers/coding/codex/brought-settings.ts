// What `settings: project` and `settings: user` bring to Codex: instructions, MCP servers, and of a user also skills. The
// repository itself is never trusted: its config.toml could switch the sandbox off, its rules could let commands run
// outside of it. So what may be read of it is read here, and handed over as Segno's own.
import { existsSync, realpathSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { isMapping } from "../../../errors/mapping.ts";
import type { CodingTask } from "../agent.ts";
import { bringSettings, ofUser, type Permissions } from "../permissions.ts";

const OF_USER = ["prompts", "skills"];
const INSTRUCTIONS = "AGENTS.md";
/** Codex's own limit for a repository's instructions. */
const MOST_INSTRUCTIONS = 32 * 1024;

/** Brings files, and gives the tables of MCP servers. */
export async function bringCodexSettings({ env, home, cwd, permissions }: CodingTask): Promise<string> {
  // A session that steps share has one home: what another step was given is not this one's.
  await rm(join(home, INSTRUCTIONS), { force: true });
  if (permissions.settings === "none") return "";
  const ofUsers = permissions.settings === "user" ? ofUser(env, "CODEX_HOME", ".codex") : undefined;
  if (ofUsers) await bringSettings(ofUsers, OF_USER, home);
  const folders = foldersTo(cwd);
  const said = ofUsers ? [await textOf(join(ofUsers, INSTRUCTIONS))] : [];
  for (const folder of folders)
    said.push((await textBelow(folders[0] ?? cwd, join(folder, INSTRUCTIONS))).slice(0, MOST_INSTRUCTIONS));
  await writeFile(join(home, INSTRUCTIONS), said.filter(Boolean).join("\n\n"), { mode: 0o600 });
  const configs = ofUsers ? [await textOf(join(ofUsers, "config.toml"))] : [];
  for (const folder of folders) configs.push(await textBelow(folders[0] ?? cwd, join(folder, ".codex", "config.toml")));
  return serverTables(...configs);
}

const textOf = (file: string): Promise<string> => readFile(file, "utf8").catch(() => "");

/** A link that leads out of the repository would show the model any file there is, or start the servers of its user. */
async function textBelow(root: string, file: string): Promise<string> {
  if (!existsSync(file)) return "";
  return realpathSync(file).startsWith(`${root}${sep}`) ? await textOf(file) : "";
}

/** From the repository's top to the agent's folder; only that one where there is no repository. */
function foldersTo(cwd: string): string[] {
  const folders = [cwd];
  for (let at = cwd; ; at = dirname(at)) {
    if (at !== cwd) folders.unshift(at);
    if (existsSync(join(at, ".git"))) return folders;
    if (dirname(at) === at) return [cwd];
  }
}

// The MCP servers that a config.toml names, as text: the rest of such a file is Segno's to say.

const HEAD = /^\s*\[\s*mcp_servers\s*\.\s*("[^"]*"|'[^']*'|[\w-]+)/;

/** From each head of a table to the next, by the server's name. */
function serversIn(config: string): Map<string, string> {
  const servers = new Map<string, string>();
  let name: string | undefined;
  for (const line of config.split("\n")) {
    if (/^\s*\[/.test(line)) name = HEAD.exec(line)?.[1]?.replace(/^(["'])(.*)\1$/, "$2");
    if (name !== undefined) servers.set(name, `${servers.get(name) ?? ""}${line}\n`);
  }
  return servers;
}

/** What is named twice is as the later one says. */
export function serverTables(...configs: readonly string[]): string {
  const servers = new Map(configs.flatMap((config) => [...serversIn(config)]));
  return servers.size > 0 ? `\n${[...servers.values()].join("\n")}` : "";
}

/** By who put them there, as Codex says it: `system` are its own, `admin` those of the machine. */
const READ: Readonly<Record<Permissions["settings"], readonly string[]>> = {
  none: ["system"],
  project: ["system", "repo"],
  user: ["system", "repo", "user", "admin"],
};

type Ask = (method: string, params: Readonly<Record<string, unknown>>) => Promise<Readonly<Record<string, unknown>>>;

/**
 * Skills that Codex finds by itself, in the repository and in the user's home. They are instructions like any other:
 * where settings are not read, skills are not either. Codex lists what it found, and Segno turns those off. Settings of
 * a thread in which every skill is off that is not to be read, also where a prompt names it.
 */
export async function skillSettings(
  ask: Ask,
  cwd: string,
  settings: Permissions["settings"],
): Promise<Readonly<Record<string, unknown>>> {
  const { data } = await ask("skills/list", { cwds: [cwd] });
  const found = mappingsIn(data).flatMap(({ skills }) => mappingsIn(skills));
  const off = found.filter(({ scope }) => !READ[settings].includes(String(scope)));
  return { "skills.config": off.map(({ path }) => ({ path, enabled: false })) };
}

const mappingsIn = (value: unknown): Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isMapping) : [];
