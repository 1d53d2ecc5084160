// `type: mcp` — calls one tool of an MCP server, without a model.
import * as z from "zod";
import { placed } from "../schema/execution.ts";
import { cache, checkedOutput, routed, timeout, values } from "../schema/fields.ts";
import { described, once } from "../schema/readings.ts";

export const mcpStep = once(() =>
  z
    .strictObject({
      type: described(z.literal("mcp"), "Calls one tool of an MCP server, without a model."),
      ...routed,
      server: described(z.string().min(1), "One of `workflow.runtime.mcp_servers`.", { examples: ["github"] }),
      tool: described(z.string().min(1), "The tool's name on that server.", { examples: ["create_issue"] }),
      arguments: described(values().default({}), "The tool's arguments. Values are templates and keep their types."),
      ...placed,
      timeout,
      ...checkedOutput,
      cache,
    })
    .meta({ id: "McpStep" }),
);

export type McpStep = z.output<ReturnType<typeof mcpStep>>;
