// `mcp_servers:` — MCP servers by name, of a file or of one agent.
import * as z from "zod";
import { environment, listOf, text } from "./fields.ts";
import { once } from "./once.ts";

const mcpServer = once(() =>
  z
    .looseObject({
      type: z.enum(["stdio", "http", "sse"]).default("stdio").describe("How to reach the server."),
      command: z
        .string()
        .optional()
        .meta({ description: "For stdio: the program to start.", examples: ["npx"] }),
      args: listOf(text()).describe("Its arguments."),
      env: environment().default({}).describe("Environment variables to add."),
      url: z.string().optional().describe("For http and sse: the address."),
      headers: environment().default({}).describe("Headers to send."),
      timeout: z.number().positive().optional().describe("Milliseconds that a call may take."),
      tools: z.array(z.string()).default(["*"]).describe("Which of its tools agents may use."),
      working_dir: z
        .string()
        .optional()
        .describe("For stdio: the folder to start it in, relative to this file; this file's folder when left out."),
    })
    .superRefine((server, context) => {
      const needed = server.type === "stdio" ? "command" : "url";
      if (server[needed] === undefined)
        context.addIssue({
          code: "custom",
          path: [],
          params: { rule: "missing-key", key: needed },
          message: `an MCP server of type ${server.type} needs \`${needed}\`.`,
        });
    })
    .meta({ expects: "a mapping with `command` or `url`" }),
);

export const mcpServers = () => z.record(z.string(), z.lazy(mcpServer));

export type McpServer = z.output<ReturnType<typeof mcpServer>>;
