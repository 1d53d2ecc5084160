// `type: mcp`. Calls one tool of an MCP server, without a model.
import { failed, succeeded } from "../../base/errors/index.ts";
import { type OutputFields, schemaViolation } from "../output-schema.ts";
import type { Attempt, Executor, McpOutput } from "../step-type.ts";
import { toolOutputLimits } from "../tool-output.ts";
import { renderMapping, renderText } from "../values.ts";
import type { McpAnswer, McpResult } from "../world.ts";
import { cutContent, outputOf } from "./output.ts";
import type { McpStep } from "./schema.ts";

export interface PreparedMcp {
  readonly server: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What the output is; `bare` if absent. */
  readonly as?: McpOutput;
  readonly output?: OutputFields;
}

export const mcp: Executor<McpStep, PreparedMcp> = {
  type: "mcp",
  version: 1,

  prepare(step, { names, mcpOutput = "bare" }) {
    return {
      server: renderText(step.server, names),
      tool: renderText(step.tool, names),
      arguments: renderMapping(step.arguments, names, "kept"),
      ...(mcpOutput === "bare" ? {} : { as: mcpOutput }),
      ...(step.output ? { output: step.output } : {}),
    };
  },

  async execute({ server, tool, arguments: given, as = "bare", output: fields }, attempt) {
    const about = { node: attempt.node, target: `${server}/${tool}`, agent_name: attempt.node, server, tool };
    attempt.emit("mcp_started", { ...about, argument_keys: Object.keys(given) });
    const began = attempt.clock.now();
    const request = { server, tool, arguments: given, ...(as === "envelope" ? { readsTexts: true } : {}) };
    const result = await attempt.world.callTool(request, attempt);
    const elapsed = (attempt.clock.now() - began) / 1000;
    const answer = result.ok ? result : result.answer;
    const fitted = answer && (await fitAnswer(answer, tool, as, attempt));
    const output = fitted && (fitted.recorded ?? outputOf(fitted, !result.ok, as));
    if (!fitted || (!result.ok && attempt.keepsToolErrors !== true)) {
      const { error } = result as Extract<McpResult, { ok: false }>;
      attempt.emit("mcp_failed", { ...about, elapsed, error_type: error.kind, message: error.message });
      return failed(error, as === "envelope" ? output : undefined);
    }
    const { truncated = false, spill_path } = fitted;
    attempt.emit("mcp_completed", {
      ...about,
      elapsed,
      is_error: !result.ok,
      result_bytes: bytesOf(fitted),
      truncated,
      ...(spill_path === undefined ? {} : { spill_path }),
    });
    const violation = await schemaViolation(attempt.node, "mcp", fields, output, attempt.workflow.rules);
    return violation ? failed(violation, output) : succeeded(output);
  },
};

type Fitted = McpAnswer & { readonly truncated?: boolean; readonly spill_path?: string };

const fitAnswer = async (answer: McpAnswer, tool: string, as: McpOutput, attempt: Attempt): Promise<Fitted> =>
  as === "envelope" && answer.recorded === undefined
    ? { ...answer, ...(await cutContent(answer.content, tool, limitsOf(attempt), attempt)) }
    : answer;

const limitsOf = ({ workflow }: Attempt) => toolOutputLimits(workflow.runtime.tool_output);

const bytesOf = ({ content, structured }: McpAnswer): number =>
  Buffer.byteLength(JSON.stringify({ content, structured: structured ?? null }));
