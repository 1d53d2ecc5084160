// The step type `mcp`: one tool of an MCP server, called without a model.
import { declaredFields, mcpTarget, type StepType, UNKNOWN } from "../step-type.ts";
import type { PreparedMcp } from "./run.ts";
import { type McpStep, mcpStep } from "./schema.ts";

export const TOOL_KINDS = ["mcp.tool_error", "mcp.protocol_error"];

const EVENTS = ["mcp_started", "mcp_completed", "mcp_failed"] as const;

export const mcp = {
  description: "calls one tool of an MCP server",
  schema: mcpStep,
  executor: () => import("./run.ts").then(({ mcp }) => mcp),
  output:
    "the tool's structured content, or `{content}`, with `structured` and `is_error` beside. In a file with `agents:` it is `{content, structured, is_error}` with the fields of `structured` beside, and a tool's own error is output unless the step opts in to errors",
  templates: ["arguments"],
  raises: ({ output }, { raisesSchemaViolation }) => [
    "internal.timeout",
    ...(output && raisesSchemaViolation ? ["internal.schema_violation"] : []),
    ...TOOL_KINDS,
    "circuit.open",
  ],
  finishesWithErrors: true,
  shape: ({ output }) => (output ? declaredFields(output, ["content", "structured", "is_error"]) : UNKNOWN),
  target: (values) => mcpTarget((values as PreparedMcp).server),
  intent(values) {
    const { server, tool } = values as PreparedMcp;
    return { server, tool };
  },
  answeredBy: "mcp_scripts",
  events: { onlyForReaders: EVENTS, noted: EVENTS },
} as const satisfies StepType<McpStep>;
