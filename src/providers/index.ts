// What services load only once a model or an MCP server is needed: calling models, and MCP servers. What is small is
// imported from its own file.

export { createMcpPool, joinPools, type McpPool } from "./mcp/pool.ts";
export { callModel } from "./model-call.ts";
export type { Message } from "./provider.ts";
