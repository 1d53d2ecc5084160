// Segno's own MCP server for an agent: `submit` takes the answer, the other tools are the step's. It listens at a socket, to
// which the agent connects by a small program that it starts like any other server.
import { randomUUID } from "node:crypto";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { JsonSchema } from "../../../base/errors/mapping.ts";
import { misfitText } from "../../../base/errors/misfit.ts";
import { LARGEST_MESSAGE } from "../../../providers/mcp/message-cap.ts";
import type { ToolDefinition } from "../../../providers/provider.ts";
import { type RunTool, toolServer } from "../../../providers/toolbox.ts";
import type { CodingHooks, CodingTask } from "../agent.ts";

const SERVER = "segno";
const SUBMIT = "submit";

/** Also where an agent writes it with its server's name before it: `mcp__segno__submit`, `segno__submit`. */
export const isOwnTool = (name: string, tools: CodingTask["tools"]): boolean =>
  [SUBMIT, ...tools.map((tool) => tool.name)].some(
    (own) =>
      ["", `${SERVER}_`, `${SERVER}__`, `mcp_${SERVER}_`, `mcp__${SERVER}__`].includes(name.slice(0, -own.length)) &&
      name.endsWith(own),
  );

export const SUBMIT_INSTRUCTION = `When you are done, give your answer by calling the tool \`${SUBMIT}\` of the server \`${SERVER}\` once.`;

export interface OwnServer {
  readonly described: Readonly<Record<string, unknown>>;
  /** The last answer that fits; undefined: none was given. */
  submitted(): unknown;
  close(): void;
}

const CONNECT = "const s=require('net').connect(process.argv[1]);process.stdin.pipe(s);s.pipe(process.stdout)";

export async function startOwnServer(
  { tools, schema, processes: { machine } }: Pick<CodingTask, "tools" | "schema" | "processes">,
  hooks: Pick<CodingHooks, "runTool" | "heard">,
  folder: string,
): Promise<OwnServer> {
  let submitted: unknown;
  const misfit = schema && (await misfitWith(schema));
  const offered = schema ? [submitTool(schema), ...tools] : tools;
  const open = new Set<Socket>();
  const submit = (input: unknown): { readonly text: string; readonly failed: boolean } => {
    hooks.heard();
    const problem = misfit?.(input);
    if (problem !== undefined) return { text: `This answer does not fit: ${problem}. Call it again.`, failed: true };
    submitted = input;
    return { text: "Taken. You are done.", failed: false };
  };
  const server = createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket)).on("error", () => socket.destroy());
    // An agent has one or two: more is a flood.
    if (open.size > MOST_CONNECTIONS) return void socket.destroy();
    const run: RunTool = async (call) =>
      schema && call.name === SUBMIT ? submit(call.input) : hooks.runTool({ id: `${SERVER}-${randomUUID()}`, ...call });
    void serve(socket, offered, run).catch(() => socket.destroy());
  });
  const address = machine.platform === "win32" ? `\\\\.\\pipe\\segno-${randomUUID()}` : join(folder, "mcp.sock");
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(address, resolve));
  return {
    described: { name: SERVER, command: process.execPath, args: ["-e", CONNECT, address], env: [] },
    submitted: () => submitted,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

const MOST_CONNECTIONS = 20;

/** What is wrong with an answer, in words, while the agent can still put it right. The step checks it once more. */
async function misfitWith(schema: JsonSchema): Promise<(answer: unknown) => string | undefined> {
  const { fromJSONSchema } = await import("zod");
  const shape = fromJSONSchema(schema);
  return (answer) => {
    const { error } = shape.safeParse(answer);
    return error?.issues.map((issue) => misfitText(issue, answer)).join("; ");
  };
}

const submitTool = (inputSchema: JsonSchema): ToolDefinition => ({
  name: SUBMIT,
  description: "Gives the final answer of your task. Call it once, when everything else is done.",
  inputSchema,
});

async function serve(socket: Socket, tools: readonly ToolDefinition[], run: RunTool): Promise<void> {
  const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
  const server = await toolServer(SERVER, tools, run);
  await server.connect(new StdioServerTransport(socket, socket, { maxBufferSize: LARGEST_MESSAGE }));
}
