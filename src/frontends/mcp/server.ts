// One client's server: its requests are handed to tools, resources and the prompt, and what they answer is put in MCP's form.
import { fileURLToPath } from "node:url";
import {
  type CallToolRequest,
  type ClientCapabilities,
  inputRequired,
  inputResponse,
  McpServer,
  type ReadResourceResult,
  type ServerContext,
  type Transport,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { unlessItThrows } from "../../base/errors/mapping.ts";
import { misfitText } from "../../base/errors/misfit.ts";
import { nearest } from "../../base/errors/nearest.ts";
import { plainEntry } from "../../base/results/entry.ts";
import { crashResult } from "../../base/results/index.ts";
import { showRun } from "../../services/runs/runs.ts";
import { environmentRedactor } from "../../services/session/exit.ts";
import { version } from "../../services/session/home.ts";
import type { Session } from "../../services/session/session.ts";
import { Snapshot } from "../../services/session/snapshot.ts";
import { drivenAnswer, inForm, resultAnswer, type Serving, type ToolAnswer, type ToolUse } from "./answer.ts";
import {
  askOnConnection,
  clientOf,
  type Era,
  formAnswer,
  gateForm,
  inRounds,
  Questions,
  type Round,
  type RoundState,
  type StateCodec,
} from "./ask-client.ts";
import { AUTHOR_PROMPT, authorPrompt } from "./author-prompt.ts";
import { driveAndWait } from "./drive-and-wait.ts";
import { mcpClient } from "./reader.ts";
import { listResources, RESOURCE_TEMPLATES, readResource } from "./resources.ts";
import { detach, refusedAnswer, wait_seconds } from "./tool.ts";
import { toolsFor } from "./tools/index.ts";

const INSTRUCTIONS =
  "Segno runs workflow files whose errors are typed and routed. Validate a file, run it, read `errors` of the result (each says what failed, what exists and what may be changed), edit the file, and call run_resume: completed steps are not run again. The resource segno://cheat-sheet has the language on one page, and segno://language names a page for each type of step, for routes, retries, groups and templates; the prompt `workflow_author` says how to write and repair.";

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
      session: {
        ...serving.session,
        cwd: roots[0] ?? serving.session.cwd,
        reader,
        readsFrom: { snapshot: new Snapshot() },
      },
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
    if (!tool) return inForm(noSuchTool(params.name, tools().keys()));
    try {
      const asked = round.state?.gate;
      const answer = asked ? await answerAsked(asked, params, use, round) : await tool.call(params.arguments, use);
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
      return { contents: await readResource(params.uri, session, roots) };
    }),
  );
  server.setRequestHandler("prompts/list", () => ({ prompts: [AUTHOR_PROMPT] }));
  server.setRequestHandler("prompts/get", ({ params }) => authorPrompt(params.name, params.arguments ?? {}));
  refuseMalformedCalls(mcp);
  hideSecrets(mcp, serving.session.env);
  return mcp;
}

function noSuchTool(name: string, names: Iterable<string>): ToolAnswer {
  const hint =
    name === "gate_answer"
      ? "A person answers gates, unless the server is started with --allow-gate-answers."
      : "tools/list lists the tools.";
  return refusedAnswer({ message: `there is no tool ${name}`, hint, suggestions: nearest(name, names) });
}

// Below which folders a client works: those of `--root`, else those that it has open, else where the server was started.

class ClientRoots {
  /** Of an old client, which says when they change; a new one is asked at every request that needs them. */
  #known: readonly string[] | undefined;

  constructor(
    private readonly serving: Serving,
    private readonly era: Era,
  ) {}

  forget(): void {
    this.#known = undefined;
  }

  toAsk({ roots }: ClientCapabilities): Questions["ask"] {
    const isKnown = this.serving.roots.length > 0 || this.#known !== undefined;
    return isKnown || !roots ? {} : { roots: inputRequired.listRoots() };
  }

  /** Nothing while the client has to be asked. One that does not answer has none to give. */
  folders(capabilities: ClientCapabilities, { state, answers = {} }: Round): readonly string[] | undefined {
    const { roots, session } = this.serving;
    if (roots.length > 0) return roots;
    const known = this.#known ?? state?.roots;
    if (known) return known;
    if (!state && capabilities.roots) return undefined;
    const response = inputResponse({ ...answers }, "roots");
    const given = response.kind === "roots" ? response.roots.flatMap(({ uri }) => folderOf(uri)) : [];
    const folders = given.length > 0 ? given : [session.cwd];
    if (this.era === "legacy" && response.kind === "roots") this.#known = folders;
    return folders;
  }
}

const folderOf = (uri: string): readonly string[] =>
  uri.startsWith("file:") ? unlessItThrows(() => [fileURLToPath(uri)], []) : [];

// A gate of the run that a client waits for is asked in the middle of its request. What it answers counts as the client's;
// a gate that is for certain people is not asked here.

/** Clients end a request that asks on and on; the gates after that wait for `gate_answer`. */
const MOST_GATES_ASKED = 7;

function gateQuestion(
  tool: string,
  { waitsAt }: ToolAnswer,
  roots: readonly string[],
  { state }: Round,
): Questions | undefined {
  const asked = (state?.asked ?? 0) + 1;
  const form = waitsAt && asked <= MOST_GATES_ASKED ? gateForm(waitsAt.gate) : undefined;
  if (!waitsAt || !form) return undefined;
  return new Questions({ gate: form }, { roots, asked, gate: { tool, run: waitsAt.run, key: waitsAt.gate.key } });
}

/** The next round: the answer drives the run on. Without one the run is shown as it stands, and the gate waits on. */
async function answerAsked(
  { tool, run, key }: NonNullable<RoundState["gate"]>,
  { name, arguments: given = {} }: CallToolRequest["params"],
  use: ToolUse,
  { answers = {} }: Round,
): Promise<ToolAnswer> {
  const result = await showRun(use.session, { run });
  const gate = (result.gates ?? (result.gate ? [result.gate] : [])).find((one) => one.key === key);
  const answer = gate && tool === name ? formAnswer(gate, answers) : undefined;
  if (!answer) return resultAnswer(result);
  const order = { to: "answer", run, gate: key, via: `mcp:${use.client}`, ...answer } as const;
  const wait = {
    wait_seconds: wait_seconds.catch(50).parse(given.wait_seconds),
    detach: detach.catch(true).parse(given.detach),
  };
  const driven = await driveAndWait(order, wait, use);
  if (driven.status !== "invalid") return drivenAnswer(driven);
  // The answer does not count: the run waits on, and what is wrong with the answer is said beside it.
  const [fault] = driven.errors;
  const warning = plainEntry({
    message: `the answer does not count: ${driven.error}`,
    ...(fault?.hint ? { hint: fault.hint } : {}),
  });
  const shown = await showRun(use.session, { run });
  return resultAnswer({ ...shown, warnings: [...shown.warnings, warning] });
}

// Every message leaves here. What is made for one by a service has lost the secrets of its runs; what this wing says itself
// quotes what it was given.

function hideSecrets(mcp: McpServer, env: Session["env"]): void {
  const connect = mcp.connect.bind(mcp);
  mcp.connect = async (transport: Transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(environmentRedactor(env).answer(message, { keys: "author" }), options);
    await connect(transport);
  };
}

// The protocol's own library drops messages that are no call, or refuses them with a validator's dump: they are answered in
// plain words.

const INVALID_PARAMS = -32602;

const callMessage = z.looseObject({
  method: z.literal("tools/call"),
  id: z.union([z.string(), z.number()]),
  params: z.unknown(),
});
const callParams = z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() });

/** A call whose arguments are no object, or that names no tool. */
function refuseMalformedCalls(mcp: McpServer): void {
  const connect = mcp.connect.bind(mcp);
  mcp.connect = async (transport: Transport) => {
    await connect(transport);
    const { onmessage } = transport;
    transport.onmessage = (message, extra) => {
      const asked = callMessage.safeParse(message).data;
      const problem = asked && problemWith(asked.params);
      if (!asked || problem === undefined) return onmessage?.(message, extra);
      const error = { code: INVALID_PARAMS, message: `tools/call cannot be asked like this: ${problem}` };
      transport.send({ jsonrpc: "2.0", id: asked.id, error }, { relatedRequestId: asked.id }).catch(() => {});
    };
  };
}

function problemWith(params: unknown): string | undefined {
  const given = params ?? {};
  const issues = callParams.safeParse(given).error?.issues;
  return issues?.map((issue) => misfitText(issue, given)).join("; ");
}
