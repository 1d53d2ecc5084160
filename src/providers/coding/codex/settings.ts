// What a task is in Codex's own settings: a config.toml in the agent's folder, written for each task.
import { writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { CodingTask } from "../agent.ts";
import { guardedIn } from "../guarded.ts";

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

/**
 * Commands that may use the network get it through Codex's own proxy. Without it they would share all of the machine's
 * network, and with it every unix socket: Docker's and those of key agents, by which a command can do whatever you can.
 */
const isProxied = ({ permissions: { sandbox, network } }: CodingTask): boolean => sandbox !== "full" && network;

/** What commands may read and write: codex puts a sandbox of its own around them. */
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
