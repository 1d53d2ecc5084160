// One client's server: its requests are handed to tools, resources and the prompt, and what they answer is put in MCP's form.
import {
  type CallToolRequest,
  type CallToolResult,
  inputRequired,
  McpServer,
  type ReadResourceResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { crashResult, refusedResult } from "../results/index.ts";
import { version } from "../services/session/home.ts";
import { askOnConnection, clientOf, type Era, inRounds, Questions, type Round, type StateCodec } from "./ask-client.ts";
import { ClientRoots } from "./client-roots.ts";
import { answerAsked, gateQuestion } from "./gate-question.ts";
import { withoutLargeParts } from "./large-answer.ts";
import { AUTHOR_PROMPT, authorPrompt } from "./prompt.ts";
import { mcpClient } from "./reader.ts";
import { listResources, RESOURCE_TEMPLATES, readResource } from "./resources.ts";
import type { Serving, ToolAnswer, ToolUse } from "./session.ts";
import { toolsFor } from "./tools/index.ts";

const INSTRUCTIONS =
  "Segno runs workflow files whose errors are typed and routed. Validate a file, run it, read `errors` of the result (each says what failed, what exists and what may be changed), edit the file, and call run_resume: completed steps are not run again. The resource segno://cheat-sheet has the language on one page; the prompt `workflow_author` says more.";

/** One for each connection; over stateless HTTP, one for each request. */
export function createServer(serving: Serving, era: Era, codec: StateCodec): McpServer {
  const mcp = new McpServer(
    { name: "segno", title: "Segno", version: version() },
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: INSTRUCTIONS,
      requestState: { verify: codec.verify },
    },
  );
  // The tools bring their own JSON Schemas, which are those of the command line; so the requests are answered directly.
  const { server } = mcp;
  const own = toolsFor({ mayAnswerGates: serving.mayAnswerGates });
  const tools = () => (serving.hasWorkflowTools ? toolsFor(serving) : own);
  const reader = mcpClient(serving);
  const clientRoots = new ClientRoots(serving, era);
  if (era === "legacy") server.setNotificationHandler("notifications/roots/list_changed", () => clientRoots.forget());

  const useFor = (ctx: ServerContext, roots: readonly string[]): ToolUse => {
    const token = ctx.mcpReq._meta?.progressToken;
    let count = 0;
    const progress = (message: string): void => {
      count += 1;
      const params = { progressToken: token, progress: count, message };
      // A notification to a client that went away fails; the run goes on.
      ctx.mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
    };
    return {
      serving,
      roots,
      session: { ...serving.session, cwd: roots[0] ?? serving.session.cwd, reader },
      client: clientOf(server, ctx).name,
      signal: ctx.mcpReq.signal,
      closingCancels: era === "modern" && ctx.http !== undefined,
      ...(token === undefined ? {} : { progress }),
    };
  };

  /** In rounds: first the client's folders, where they count, then what is to be done below them. */
  const belowRoots = <Answer>(
    ctx: ServerContext,
    carryOut: (use: ToolUse, round: Round) => Promise<Answer | Questions>,
  ): Promise<Answer | ReturnType<typeof inputRequired>> => {
    const made = inRounds({ era, ctx, codec }, async (round) => {
      const roots = clientRoots.folders(clientOf(server, ctx).capabilities, round);
      if (!roots) return new Questions({ roots: inputRequired.listRoots() }, { asked: 0 });
      return carryOut(useFor(ctx, roots), round);
    });
    serving.answering.add(made);
    const done = (): void => void serving.answering.delete(made);
    made.then(done, done);
    return made;
  };

  server.setRequestHandler("tools/list", () => ({ tools: [...tools().values()].map(({ call: _, ...tool }) => tool) }));

  const callTool = async (params: CallToolRequest["params"], use: ToolUse, round: Round, canAsk: boolean) => {
    const tool = own.get(params.name) ?? tools().get(params.name);
    if (!tool) return inForm(noSuchTool(params.name));
    try {
      const asked = round.state?.gate;
      const answer =
        asked && round.state ? await answerAsked(params, use, round) : await tool.call(params.arguments, use);
      const question = canAsk ? gateQuestion(params.name, answer, use.roots, round) : undefined;
      return question ?? inForm(answer);
    } catch (problem) {
      const result = crashResult(problem);
      return inForm({ object: { ...result }, text: `Segno itself failed: ${result.error}`, isError: true });
    }
  };
  server.setRequestHandler("tools/call", ({ params }, ctx) => {
    const { elicitation } = clientOf(server, ctx).capabilities;
    // One that says no more than that it can be asked can show a form.
    const canAsk = serving.mayAnswerGates && elicitation !== undefined && (!!elicitation.form || !elicitation.url);
    return belowRoots(ctx, (use, round) => callTool(params, use, round, canAsk));
  });

  server.setRequestHandler("resources/list", async (_, ctx) => {
    const { capabilities } = clientOf(server, ctx);
    // A new client cannot be asked here: `run_list` lists its runs.
    const round =
      era === "modern"
        ? {}
        : { state: { asked: 0 }, answers: await askOnConnection(clientRoots.toAsk(capabilities), ctx) };
    const roots = clientRoots.folders(capabilities, round);
    return { resources: await listResources(useFor(ctx, roots ?? []).session, roots) };
  });
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [...RESOURCE_TEMPLATES] }));
  server.setRequestHandler("resources/read", ({ params }, ctx) =>
    belowRoots(ctx, async ({ session, roots }): Promise<ReadResourceResult> => {
      return { contents: [await readResource(params.uri, session, roots)] };
    }),
  );
  server.setRequestHandler("prompts/list", () => ({ prompts: [AUTHOR_PROMPT] }));
  server.setRequestHandler("prompts/get", ({ params }) => authorPrompt(params.name, params.arguments ?? {}));
  return mcp;
}

function inForm(answer: ToolAnswer): CallToolResult {
  const { object, text, isError, link } = withoutLargeParts(answer);
  return {
    content: [{ type: "text", text }, ...(link ? [link] : [])],
    structuredContent: { ...object },
    ...(isError ? { isError } : {}),
  };
}

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
