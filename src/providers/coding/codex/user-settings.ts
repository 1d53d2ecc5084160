// What a user has told Codex, for `settings: user`: instructions, skills, and MCP servers.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CodingTask } from "../agent.ts";
import { bringSettings, ofUser } from "../user-settings.ts";

const OF_USER = ["AGENTS.md", "prompts", "skills"];

/** Brings files, and gives the tables of MCP servers: the rest of the user's config.toml is Segno's to say. */
export async function bringCodexSettings({ env, home }: CodingTask): Promise<string> {
  const folder = ofUser(env, "CODEX_HOME", ".codex");
  await bringSettings(folder, OF_USER, home);
  const config = await readFile(join(folder, "config.toml"), "utf8").catch(() => "");
  return serverTables(config);
}

/** From each head of a table to the next. */
export function serverTables(config: string): string {
  let isServer = false;
  const kept = config.split("\n").filter((line) => {
    if (/^\s*\[/.test(line)) isServer = /^\s*\[\s*mcp_servers\s*\./.test(line);
    return isServer;
  });
  return kept.length > 0 ? `\n${kept.join("\n")}\n` : "";
}
