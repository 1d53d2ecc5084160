// Every MCP server that a file describes: its own, and those of single agents.

import type { McpServer } from "../steps/schema/mcp-servers.ts";
import type { LoadedWorkflow } from "./loaded.ts";

export function describedServers({ definition }: LoadedWorkflow): readonly (readonly [name: string, McpServer])[] {
  const { agents, for_each, workflow } = definition;
  const steps = [...agents, ...for_each.map(({ agent }) => agent)];
  const described = [
    workflow.runtime.mcp_servers,
    ...steps.map((step) => (step.type === "agent" ? (step.mcp_servers ?? {}) : {})),
  ];
  return described.flatMap((servers) => Object.entries(servers));
}
