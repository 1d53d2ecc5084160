// One client's server: its requests are handed to tools, resources and the prompt, and what they answer is put in MCP's form.

import { fileURLToPath } from "node:url";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  type CallToolRequest,
  CallToolRequestSchema,
  type CallToolResult,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListRootsResultSchema,
  ListToolsRequestSchema,
  type ReadResourceRequest,
  ReadResourceRequestSchema,
  RootsListChangedNotificationSchema,
  type ServerNotification,
  type ServerRequest,
} from "@modelcontextprotocol/sdk/types.js";
import { crashResult, refusedResult } from "../results/index.ts";
import type { Listener } from "../services/request.ts";
import { version } from "../services/session/home.ts";
import { AUTHOR_PROMPT, authorPrompt } from "./prompt.ts";
import { mcpClient } from "./reader.ts";
import { listResources, RESOURCE_TEMPLATES, readResource } from "./resources.ts";
import type { Serving, ToolAnswer, ToolUse } from "./session.ts";
import { toolsFor } from "./tools/index.ts";

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

const INSTRUCTIONS =
  "Segno runs workflow files whose errors are typed and routed. Validate a file, run it, read `errors` of the result (each says what failed, what exists and what may be changed), edit the file, and call run_resume: completed steps are not run again. The resource segno://cheat-sheet has the language on one page; the prompt `workflow_author` says more.";

export function createServer(serving: Serving): McpServer {
  const mcp = new McpServer(
    { name: "segno", title: "Segno", version: version() },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  );
  // The tools bring their own JSON Schemas, which are those of the command line; so the requests are answered directly.
  const { server } = mcp;
  const tools = toolsFor(serving);
  const reader = mcpClient(serving);
  const clientRoots = new ClientRoots();
  server.setNotificationHandler(RootsListChangedNotificationSchema, () => clientRoots.forget());

  const foldersFor = async (extra: Extra): Promise<readonly string[]> => {
    if (serving.roots.length > 0) return serving.roots;
    const given = server.getClientCapabilities()?.roots
      ? await clientRoots.folders(
          async () => (await extra.sendRequest({ method: "roots/list" }, ListRootsResultSchema)).roots,
        )
      : [];
    return given.length > 0 ? given : [serving.surroundings.cwd];
  };

  const callFor = async (extra: Extra): Promise<ToolUse> => {
    const folders = await foldersFor(extra);
    const token = extra._meta?.progressToken;
    const notify = (progress: number, message: string): void => {
      if (token === undefined) return;
      const params = { progressToken: token, progress, message };
      // A notification to a client that went away fails; the run goes on.
      extra.sendNotification({ method: "notifications/progress", params }).catch(() => {});
    };
    return {
      serving,
      roots: folders,
      surroundings: { ...serving.surroundings, cwd: folders[0] ?? serving.surroundings.cwd, reader },
      client: server.getClientVersion()?.name ?? "unknown",
      signal: extra.signal,
      ...(token === undefined ? {} : { progress: progressTo(notify) }),
    };
  };

  const answering = <Given extends readonly unknown[], Answer>(answer: (...given: Given) => Promise<Answer>) => {
    return (...given: Given): Promise<Answer> => {
      const made = answer(...given);
      serving.answering.add(made);
      const done = (): void => void serving.answering.delete(made);
      made.then(done, done);
      return made;
    };
  };

  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...tools.values()].map(({ call: _, ...tool }) => tool),
  }));
  const callTool = async ({ params }: CallToolRequest, extra: Extra): Promise<CallToolResult> => {
    const tool = tools.get(params.name);
    if (!tool) return inForm(noSuchTool(params.name));
    try {
      return inForm(await tool.call(params.arguments, await callFor(extra)));
    } catch (problem) {
      const result = crashResult(problem);
      return inForm({ object: { ...result }, text: `Segno itself failed: ${result.error}`, isError: true });
    }
  };
  server.setRequestHandler(CallToolRequestSchema, answering(callTool));
  server.setRequestHandler(ListResourcesRequestSchema, async (_, extra) => {
    const { surroundings, roots } = await callFor(extra);
    return { resources: await listResources(surroundings, roots) };
  });
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [...RESOURCE_TEMPLATES] }));
  const read = async ({ params }: ReadResourceRequest, extra: Extra) => {
    const { surroundings, roots } = await callFor(extra);
    return { contents: [await readResource(params.uri, surroundings, roots)] };
  };
  server.setRequestHandler(ReadResourceRequestSchema, answering(read));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [AUTHOR_PROMPT] }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => authorPrompt(params.name, params.arguments ?? {}));
  return mcp;
}

const inForm = ({ object, text, isError }: ToolAnswer): CallToolResult => ({
  content: [{ type: "text", text }],
  structuredContent: { ...object },
  ...(isError ? { isError } : {}),
});

function noSuchTool(name: string): ToolAnswer {
  const hint =
    name === "gate_answer"
      ? "A person answers gates, unless the server is started with --allow-gate-answers."
      : undefined;
  const message = `there is no tool ${name}`;
  return {
    object: { ...refusedResult({ message, ...(hint ? { hint } : {}) }) },
    text: hint ? `${message}. ${hint}` : message,
    isError: true,
  };
}

interface Root {
  readonly uri: string;
}

/** The folders that a client has open, asked for once and again when it says that they changed. */
class ClientRoots {
  #known: Promise<readonly string[]> | undefined;

  forget(): void {
    this.#known = undefined;
  }

  /** Empty when the client has none to give, or does not answer. */
  folders(ask: () => Promise<readonly Root[]>): Promise<readonly string[]> {
    this.#known ??= ask().then(
      (roots) => roots.flatMap(({ uri }) => folderOf(uri)),
      () => {
        this.#known = undefined;
        return [];
      },
    );
    return this.#known;
  }
}

function folderOf(uri: string): readonly string[] {
  try {
    return uri.startsWith("file:") ? [fileURLToPath(uri)] : [];
  } catch {
    return [];
  }
}

type Notify = (progress: number, message: string) => void;

/** A run's events as progress notifications: one for each thing a person would want to hear of, counted up. */
function progressTo(notify: Notify): Listener {
  let count = 0;
  return (event) => {
    const message = messageOf(event);
    if (message !== undefined) notify(++count, message);
  };
}

function messageOf(event: Parameters<Listener>[0]): string | undefined {
  const place = (name: string): string => [...event.path, name].join("/");
  switch (event.type) {
    case "workflow_started":
      return `run ${event.run_id} of ${event.data.name} began`;
    case "run_resumed":
      return `run ${event.run_id} goes on`;
    case "agent_started":
      return `${place(event.data.agent_name)} runs${event.data.attempt > 1 ? ` (attempt ${event.data.attempt})` : ""}`;
    case "agent_completed":
      return `${place(event.data.agent_name)} done`;
    case "error_raised":
      return `${place(event.data.node)} raised ${event.data.error.kind}: ${event.data.error.message}`;
    case "retry_scheduled":
      return `${place(event.data.node)} is tried again in ${event.data.delay_seconds} s`;
    case "gate_presented":
      return `${place(event.data.agent_name)} asks a person`;
    default:
      return undefined;
  }
}
