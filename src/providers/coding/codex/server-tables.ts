// The MCP servers that a config.toml names, as text: the rest of such a file is Segno's to say.

const HEAD = /^\s*\[\s*mcp_servers\s*\.\s*("[^"]*"|'[^']*'|[\w-]+)/;

/** From each head of a table to the next, by the server's name. */
export function serversIn(config: string): Map<string, string> {
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
