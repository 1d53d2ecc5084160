// The breakers of an attempt in the shapes that providers ask for: one for each model, one for each MCP server.
import type { McpPool } from "../../providers/index.ts";
import type { Breaker } from "../../providers/model-call.ts";
import type { CallBreakers } from "../../steps/executor.ts";
import { mcpTarget, modelTarget } from "../../steps/targets.ts";

export const modelBreaker = (breakers: CallBreakers): Breaker => ({
  admit: ({ provider, model }) => breakers.admit(modelTarget(provider, model)),
  report: ({ provider, model }, error) => breakers.report(modelTarget(provider, model), error),
});

/** Tools that an agent calls by itself stand under the same breaker as `type: mcp` steps. */
export const guardedTools = (pool: McpPool, breakers: CallBreakers): McpPool => ({
  ...pool,
  async callTool(request, attempt) {
    const target = mcpTarget(request.server);
    const refused = await breakers.admit(target);
    if (refused) return { ok: false, error: refused };
    const result = await pool.callTool(request, attempt);
    if (!attempt.signal.aborted) await breakers.report(target, result.ok ? undefined : result.error);
    return result;
  },
});
