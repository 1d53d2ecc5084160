import { declaredFields, UNKNOWN } from "../output-shape.ts";
import type { StepType } from "../step-type.ts";
import { type McpStep, mcpStep } from "./schema.ts";

/** What a call of a tool raises, whoever makes it. */
export const TOOL_KINDS = ["mcp.tool_error", "mcp.protocol_error"];

export const mcp = {
  description: "calls one tool of an MCP server",
  schema: mcpStep,
  executor: () => import("./run.ts").then(({ mcp }) => mcp),
  output: "the tool's structured content, or `{content}`",
  templates: ["arguments"],
  raises: ({ output }, { isOptedIn }) => [
    "internal.timeout",
    ...(output && isOptedIn ? ["internal.schema_violation"] : []),
    ...TOOL_KINDS,
    "circuit.open",
  ],
  finishesWithErrors: true,
  shape: ({ output }) => (output ? declaredFields(output) : UNKNOWN),
} as const satisfies StepType<McpStep>;
