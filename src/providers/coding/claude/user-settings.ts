// A user's own setup of Claude, for `settings: user`: settings with their hooks, instructions, skills and MCP servers.
import { readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { isMapping } from "../../../errors/mapping.ts";
import { parseJson } from "../../../json/bounded.ts";
import type { CodingTask } from "../agent.ts";
import { bringSettings, ofUser } from "../user-settings.ts";

const OF_USER = ["settings.json", "CLAUDE.md", "agents", "commands", "hooks", "rules", "skills"];

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
