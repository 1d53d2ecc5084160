// What a task is in Codex's own settings: a config.toml in the agent's folder, written for each task.

import { existsSync, realpathSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { isMapping } from "../../../base/errors/mapping.ts";
import type { CodingTask } from "../agent.ts";
import { guardedIn } from "../guarded.ts";
import { bringSettings, ofUser, type Permissions } from "../permissions.ts";

/** TOML takes JSON's strings. */
const text = (value: string): string => JSON.stringify(value);

/** `searchPath` is the PATH of commands; `more` are tables of MCP servers. */
export async function writeSettings(task: CodingTask, searchPath: string, more: string): Promise<void> {
  await writeFile(join(task.home, "config.toml"), `${settingsOf(task, searchPath)}${more}`, { mode: 0o600 });
}

function settingsOf(task: CodingTask, searchPath: string): string {
  const { settings, env, cwd, permissions, mark } = task;
  const url = settings.base_url || env.OPENAI_BASE_URL || "https://api.openai.com/v1";
  const headers = Object.entries(settings.headers ?? {}).map(([name, value]) => `${text(name)} = ${text(value)}`);
  return [
    'model_provider = "segno"',
    "check_for_update_on_startup = false",
    // The key is handed over when the process runs, and kept in no file and no environment.
    'cli_auth_credentials_store = "ephemeral"',
    // The instructions of a repository are the repository's word, not the user's.
    ...(permissions.settings === "none" ? ["project_doc_max_bytes = 0"] : []),
    ...(permissions.sandbox === "full" ? [] : ['default_permissions = "segno"']),
    "",
    "[model_providers.segno]",
    'name = "segno"',
    `base_url = ${text(url)}`,
    'wire_api = "responses"',
    "requires_openai_auth = true",
    // Retries are Segno's: one layer, counted and shown.
    "request_max_retries = 0",
    "stream_max_retries = 0",
    ...(headers.length > 0 ? [`http_headers = { ${headers.join(", ")} }`] : []),
    "",
    `[projects.${text(cwd)}]`,
    // Whatever is read of it: a trusted project's own settings would win over these.
    'trust_level = "untrusted"',
    "",
    "[features]",
    "plugins = false",
    "remote_plugin = false",
    "apps = false",
    "unbounded_connection_retries = false",
    ...(isProxied(task) ? ["network_proxy = true"] : []),
    "",
    "[analytics]",
    "enabled = false",
    "",
    "[shell_environment_policy]",
    'inherit = "core"',
    `set = { ${mark[0]} = ${text(mark[1])}, PATH = ${text(searchPath)} }`,
    ...(permissions.sandbox === "full" ? [] : profile(task)),
    "",
  ].join("\n");
}

/** By Codex's own proxy: else commands would share all of the network, and every unix socket (Docker's, of key agents). */
const isProxied = ({ permissions: { sandbox, network } }: CodingTask): boolean => sandbox !== "full" && network;

function profile(task: CodingTask): string[] {
  const { sandbox, network } = task.permissions;
  const { readOnly, unreadable } = guardedIn(task);
  // Codex mounts all of .git read-only by itself, and nothing can be mounted inside of that.
  const inside = readOnly.map((path) => relative(task.cwd, path)).filter((path) => !/^\.(?:\.|git(?:\/|$))/.test(path));
  const roots =
    sandbox === "workspace"
      ? ['"." = "write"', ...foldersOf(inside).map(writable), ...inside.map((path) => `${text(path)} = "read"`)]
      : ['"." = "read"'];
  return [
    "",
    "[permissions.segno.filesystem]",
    '":root" = "read"',
    `":workspace_roots" = { ${roots.join(", ")} }`,
    ...unreadable.map((path) => `${text(path)} = "deny"`),
    "",
    "[permissions.segno.network]",
    `enabled = ${network}`,
    ...(network ? ["allow_local_binding = true", 'domains = { "*" = "allow" }'] : []),
  ];
}

const writable = (path: string): string => `${text(path)} = "write"`;

/** Mounted by themselves, so that none can be moved away with a guarded file in it, and another put in its place. */
const foldersOf = (paths: readonly string[]): string[] => {
  const folders = new Set<string>();
  for (const path of paths) for (let at = dirname(path); at !== "."; at = dirname(at)) folders.add(at);
  return [...folders].filter((folder) => !paths.includes(folder));
};

/** Codex makes no links to its helpers below the temporary folder, so that a home there needs one that is found by PATH. */
export const HELPER = "codex-linux-sandbox";

// What `settings: project` and `settings: user` bring to Codex: instructions, MCP servers, and of a user also skills. The
// repository itself is never trusted: its config.toml could switch the sandbox off, its rules could let commands run
// outside of it. So what may be read of it is read here, and handed over as Segno's own.

const OF_USER = ["prompts", "skills"];
const INSTRUCTIONS = "AGENTS.md";
/** Codex's own limit for a repository's instructions. */
const MOST_INSTRUCTIONS = 32 * 1024;

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

/** Settings of a thread in which each skill is off that is not to be read: skills are instructions like any other. */
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
