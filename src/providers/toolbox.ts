// The tools that one agent may use: which of the run's MCP tools, under which names, and what a call comes to; and the same
// tools served to an agent that takes them from an MCP server.
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Raised } from "../base/errors/index.ts";
import type { Caller } from "../steps/caller.ts";
import { spillTo, type ToolOutputLimits } from "../steps/tool-output.ts";
import type { McpResult } from "../steps/world.ts";
import { contentText, isServerFailure } from "./mcp/failures.ts";
import type { McpPool, McpTool } from "./mcp/pool.ts";
import type { ToolCall, ToolDefinition, ToolReply } from "./provider.ts";

/** Thrown when an MCP server fails under an agent: the step raises it, no model can help. */
export class ToolboxFailure extends Error {
  constructor(readonly raised: Raised) {
    super(raised.message);
    this.name = "ToolboxFailure";
  }
}

export interface Toolbox {
  /** Names that were asked for and that no server offers. */
  readonly unknown: readonly string[];
  readonly definitions: readonly ToolDefinition[];
  run(call: ToolCall): Promise<ToolReply>;
}

/** `server__tool`, as the APIs allow it: letters, digits, `_` and `-`, at most 64 of them. */
export function toolName(server: string, tool: string, taken: ReadonlySet<string> = new Set()): string {
  const plain = `${server}__${tool}`.replace(/[^a-zA-Z0-9_-]/g, "_");
  if (plain.length <= 64 && !taken.has(plain)) return plain;
  for (let n = 2; ; n += 1) {
    const name = `${plain.slice(0, 60)}_${n}`;
    if (!taken.has(name)) return name;
  }
}

/** Whether an agent's `tools:` means this tool: `server__tool`, the tool's own name, or a whole server. */
const means = (wanted: string, tool: McpTool): boolean =>
  wanted === `${tool.server}__${tool.name}` ||
  wanted === tool.name ||
  wanted === tool.server ||
  wanted === `${tool.server}__*` ||
  wanted === "*";

export interface ToolboxRequest {
  readonly pool: McpPool | undefined;
  /** Null: all there are. */
  readonly wanted: readonly string[] | null;
  readonly attempt: Caller;
  readonly limits: ToolOutputLimits;
  /** The agent has tools of its own: a name that no server offers may be one of them. */
  readonly bringsTools?: boolean;
}

/** Opens the servers that the agent needs and lists their tools. Throws `ToolboxFailure` when one does not come up. */
export async function openToolbox(request: ToolboxRequest): Promise<Toolbox> {
  const { pool, wanted, attempt, limits } = request;
  if (!pool || wanted?.length === 0) return without(wanted ?? [], request);
  const listed = await pool.listTools(attempt.signal, wanted);
  if (!listed.ok) throw new ToolboxFailure(listed.error);

  const chosen = listed.tools.filter((tool) => wanted === null || wanted.some((one) => means(one, tool)));
  const unknown = (wanted ?? []).filter((one) => !listed.tools.some((tool) => means(one, tool)));
  warnOfMissing(unknown, request);
  const byName = new Map<string, McpTool>();
  for (const tool of chosen) byName.set(toolName(tool.server, tool.name, new Set(byName.keys())), tool);

  async function run(call: ToolCall): Promise<ToolReply> {
    const { id, name, input } = call;
    const about = { agent_name: attempt.node, tool_name: name };
    const tool = byName.get(name);
    attempt.emit("agent_tool_start", { ...about, arguments: input });
    const done = (text: string, failed: boolean): ToolReply => {
      attempt.emit("agent_tool_complete", { ...about, result: text, ...(failed ? { failed } : {}) });
      return { id, name, text, failed };
    };
    if (!tool) return done(`There is no tool ${name}.`, true);
    const given = typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
    const result = await pool!.callTool({ server: tool.server, tool: tool.name, arguments: given }, attempt);
    if (!result.ok) {
      const failure = done(result.error.message, true);
      if (isServerFailure(result.error)) throw new ToolboxFailure(result.error);
      return failure;
    }
    return done(await fitToolText(asToolText(result), name, limits, attempt), false);
  }

  return {
    unknown,
    definitions: [...byName].map(([name, { description, inputSchema }]) => ({ name, description, inputSchema })),
    run,
  };
}

function without(unknown: readonly string[], request: ToolboxRequest): Toolbox {
  warnOfMissing(unknown, request);
  return {
    unknown,
    definitions: [],
    run: async ({ id, name }) => ({ id, name, text: `There is no tool ${name}.`, failed: true }),
  };
}

function warnOfMissing(names: readonly string[], { attempt, bringsTools }: ToolboxRequest): void {
  if (names.length === 0 || bringsTools) return;
  const message = `No MCP server of this file offers ${names.join(", ")}: the agent runs without. Add the server under runtime.mcp_servers, or take the name out of tools.`;
  attempt.emit("warning", { node: attempt.node, message });
}

export function asToolText(result: Extract<McpResult, { ok: true }>): string {
  const text = contentText(result.content);
  // Servers repeat structured content as text; those that do not would leave the model with nothing.
  return text === "" && result.structured ? JSON.stringify(result.structured) : text;
}

async function fitToolText(text: string, tool: string, limits: ToolOutputLimits, attempt: Caller): Promise<string> {
  if (!limits.enabled || text.length <= limits.maxChars) return text;
  const kept = text.slice(0, limits.maxChars);
  const spill = limits.spillToFile ? await spillTo(text, tool, limits, attempt) : null;
  attempt.emit("agent_tool_output_truncated", {
    agent_name: attempt.node,
    tool_name: tool,
    original_chars: text.length,
    kept_chars: kept.length,
    spill_path: spill,
  });
  const where = spill ? ` All of it is in ${spill}.` : "";
  return `${kept}\n\n[Cut: these are the first ${kept.length} of ${text.length} characters.${where}]`;
}

export type RunTool = (call: Pick<ToolCall, "name" | "input">) => Promise<Pick<ToolReply, "text" | "failed">>;

export async function toolServer(name: string, tools: readonly ToolDefinition[], run: RunTool): Promise<Server> {
  const [{ Server }, { CallToolRequestSchema, ListToolsRequestSchema }] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/index.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  const server = new Server({ name, version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ name: tool, description, inputSchema }) => ({
      name: tool,
      description,
      inputSchema: { ...inputSchema, type: "object" as const },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const { text, failed } = await run({ name: params.name, input: params.arguments ?? {} });
    return { content: [{ type: "text", text }], ...(failed ? { isError: true } : {}) };
  });
  return server;
}
