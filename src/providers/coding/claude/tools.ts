// Segno's tools for Claude: an MCP server in this very process, so that allow-lists, truncation and errors stay ours.
import type { CodingHooks, CodingTask } from "../agent.ts";
import { OWN_TOOL, SERVER } from "./options.ts";

export async function servedTools(tools: CodingTask["tools"], hooks: CodingHooks): Promise<Record<string, unknown>> {
  if (tools.length === 0) return {};
  const [{ Server }, { CallToolRequestSchema, ListToolsRequestSchema }] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/index.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  const server = new Server({ name: SERVER, version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema: { ...inputSchema, type: "object" as const },
    })),
  }));
  let calls = 0;
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    calls += 1;
    const { text, failed } = await hooks.runTool({
      id: `${OWN_TOOL}${calls}`,
      name: params.name,
      input: params.arguments ?? {},
    });
    return { content: [{ type: "text", text }], ...(failed ? { isError: true } : {}) };
  });
  return { [SERVER]: { type: "sdk", name: SERVER, instance: server } };
}
