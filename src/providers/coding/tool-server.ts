// Tools of Segno's as an MCP server, for agents that take them that way: allow-lists, truncation and errors stay ours.
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { ToolCall, ToolDefinition, ToolReply } from "../provider.ts";

export type RunTool = (call: Pick<ToolCall, "name" | "input">) => Promise<Pick<ToolReply, "text" | "failed">>;

export async function toolServer(name: string, tools: readonly ToolDefinition[], run: RunTool): Promise<Server> {
  const [{ Server }, { CallToolRequestSchema, ListToolsRequestSchema }] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/index.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  const server = new Server({ name, version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ name: tool, description, inputSchema }) => ({
      name: tool,
      description,
      inputSchema: { ...inputSchema, type: "object" as const },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const { text, failed } = await run({ name: params.name, input: params.arguments ?? {} });
    return { content: [{ type: "text", text }], ...(failed ? { isError: true } : {}) };
  });
  return server;
}
