// What other rooms use of the providers: calling a model, MCP servers, prices.

export { createMcpPool, joinPools, type McpPool, type McpTool } from "./mcp/pool.ts";
export { type Breaker, callModel, type ModelEnvironment } from "./model-call.ts";
export { PRICES_AS_OF, type Pricing, priceOf } from "./prices.ts";
export type { Hooks, Message, Provider, ProviderCall, ProviderSettings, TokenCounts, Turn } from "./provider.ts";
export { PROVIDER_NAMES } from "./registry.ts";
