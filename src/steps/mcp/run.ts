// `type: mcp`. Calls one tool of an MCP server, without a model.
import { failed, succeeded } from "../../base/errors/index.ts";
import { type OutputFields, schemaViolation } from "../output-schema.ts";
import type { Executor } from "../step-type.ts";
import { renderMapping, renderText } from "../values.ts";
import type { McpStep } from "./schema.ts";

export interface PreparedMcp {
  readonly server: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly output?: OutputFields;
}

export const mcp: Executor<McpStep, PreparedMcp> = {
  type: "mcp",
  version: 1,

  prepare(step, { names }) {
    return {
      server: renderText(step.server, names),
      tool: renderText(step.tool, names),
      arguments: renderMapping(step.arguments, names, "kept"),
      ...(step.output ? { output: step.output } : {}),
    };
  },

  async execute({ server, tool, arguments: given, output: fields }, attempt) {
    const about = { node: attempt.node, target: `${server}/${tool}` };
    attempt.emit("mcp_started", about);
    const began = attempt.clock.now();
    const result = await attempt.world.callTool({ server, tool, arguments: given }, attempt);
    const elapsed = (attempt.clock.now() - began) / 1000;
    if (!result.ok) {
      attempt.emit("mcp_failed", { ...about, elapsed, message: result.error.message });
      return failed(result.error);
    }
    attempt.emit("mcp_completed", { ...about, elapsed });
    const output = result.structured ?? { content: result.content };
    const error = await schemaViolation(attempt.node, "mcp", fields, output);
    return error ? failed(error, output) : succeeded(output);
  },
};
