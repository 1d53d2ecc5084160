import type { StepType } from "../step-type.ts";
import { type McpStep, mcpStep } from "./schema.ts";

export const mcp = {
  description: "calls one tool of an MCP server",
  schema: mcpStep,
  executor: () => import("./run.ts").then(({ mcp }) => mcp),
} as const satisfies StepType<McpStep>;
