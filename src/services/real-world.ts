// The outside as real runs reach it: processes, sockets, MCP servers, models. What needs a package loads it when first used.
import type { LoadedWorkflow } from "../language/loaded.ts";
import type { McpPool, Message } from "../providers/index.ts";
import { type Redactor, secretsFromHeaders } from "../redact/index.ts";
import { outsideWorld } from "../steps/outside.ts";
import type { StepWorld } from "../steps/world.ts";
import { guardedTools, modelBreaker } from "./call-breakers.ts";
import type { Surroundings } from "./request.ts";

export interface ClosableWorld extends StepWorld {
  /** Ends MCP servers and connections. */
  close(): Promise<void>;
}

export function realWorld(
  { env }: Pick<Surroundings, "env">,
  workflow: LoadedWorkflow,
  redactor: Redactor,
): ClosableWorld {
  const { runtime, cost } = workflow.definition.workflow;
  const sessions = new Map<string, readonly Message[]>();
  let providers: Promise<typeof import("../providers/index.ts")> | undefined;
  const load = () => (providers ??= import("../providers/index.ts"));
  let pool: McpPool | undefined;
  const mcp = async (): Promise<McpPool> => {
    const { createMcpPool } = await load();
    pool ??= createMcpPool(runtime.mcp_servers, env, { cwd: workflow.dir });
    return pool;
  };
  const outside = outsideWorld({
    env: Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)),
    callTool: async (request, attempt) => (await mcp()).callTool(request, attempt),
    async callModel(request, attempt) {
      const { callModel } = await load();
      const { breakers } = attempt;
      return callModel(request, attempt, {
        env,
        mcp: breakers ? guardedTools(await mcp(), breakers) : await mcp(),
        sessions,
        pricing: cost.pricing,
        ...(breakers ? { breaker: modelBreaker(breakers) } : {}),
      });
    },
  });
  return {
    ...outside,
    fetch(request, attempt) {
      for (const secret of secretsFromHeaders(request.headers)) redactor.learn(secret);
      return outside.fetch(request, attempt);
    },
    close: async () => pool?.close(),
  };
}
