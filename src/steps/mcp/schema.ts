// `type: mcp` — calls one tool of an MCP server, without a model.
import * as z from "zod";
import { cache, output, routed, timeout, values } from "../schema/fields.ts";
import { once } from "../schema/readings.ts";

export const mcpStep = once(() =>
  z
    .strictObject({
      type: z.literal("mcp").describe("Calls one tool of an MCP server, without a model."),
      ...routed,
      server: z
        .string()
        .min(1)
        .meta({ description: "One of `workflow.runtime.mcp_servers`.", examples: ["github"] }),
      tool: z
        .string()
        .min(1)
        .meta({ description: "The tool's name on that server.", examples: ["create_issue"] }),
      arguments: values().default({}).describe("The tool's arguments. Values are templates and keep their types."),
      timeout,
      output,
      cache,
    })
    .meta({ id: "McpStep" }),
);

export type McpStep = z.output<ReturnType<typeof mcpStep>>;
