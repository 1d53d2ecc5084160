// Questions to the client in the middle of a request. A new client gets them as the answer and asks again with what it
// found (`input_required`); an old one is asked on its connection while the request waits.
import { randomBytes } from "node:crypto";
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type Implementation,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  type McpRequestContext,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";

export type Era = McpRequestContext["era"];

/** What a request has found out in its earlier rounds. It goes through the client, signed. */
export interface RoundState {
  /** The client's folders; absent while it is asked for them. */
  readonly roots?: readonly string[];
  /** The gate that was asked about. */
  readonly gate?: { readonly tool: string; readonly run: string; readonly key: string };
  /** How many gates were asked about. */
  readonly asked: number;
}

export interface Round {
  readonly state?: RoundState;
  /** By the names of the questions; one that the client could not answer is missing. */
  readonly answers?: Readonly<Record<string, unknown>>;
}

export class Questions {
  constructor(
    readonly ask: Readonly<Record<string, InputRequest>>,
    readonly state: RoundState,
  ) {}
}

/** A person may take a day over a gate. The key is this process's own: after a restart a gate is asked about anew. */
export const newStateCodec = () =>
  createRequestStateCodec<RoundState>({
    key: randomBytes(32),
    ttlSeconds: 24 * 3600,
    bind: (ctx) => ctx.mcpReq.method,
  });

export type StateCodec = ReturnType<typeof newStateCodec>;

const PATIENCE_MS = 600_000;

/** Carries a request out in as many rounds as it has questions. */
export async function inRounds<Answer>(
  { era, ctx, codec }: { readonly era: Era; readonly ctx: ServerContext; readonly codec: StateCodec },
  carryOut: (round: Round) => Promise<Answer | Questions>,
): Promise<Answer | InputRequiredResult> {
  const { inputResponses, requestState } = ctx.mcpReq;
  if (era === "modern") {
    const state = requestState<RoundState>();
    const answer = await carryOut({ ...(state ? { state, answers: inputResponses ?? {} } : {}) });
    if (!(answer instanceof Questions)) return answer;
    return inputRequired({ inputRequests: { ...answer.ask }, requestState: await codec.mint(answer.state, ctx) });
  }
  for (let round: Round = {}; ; ) {
    const answer = await carryOut(round);
    if (!(answer instanceof Questions)) return answer;
    round = { state: answer.state, answers: await askOnConnection(answer.ask, ctx) };
  }
}

/** One that fails is missing: what the request has done so far is answered all the same. */
export async function askOnConnection(ask: Questions["ask"], ctx: ServerContext): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const [name, request] of Object.entries(ask)) {
    const options = { timeout: PATIENCE_MS, signal: ctx.mcpReq.signal };
    await ctx.mcpReq.send(request, options).then(
      (answer) => {
        answers[name] = answer;
      },
      () => {},
    );
  }
  return answers;
}

interface Client {
  readonly name: string;
  readonly capabilities: ClientCapabilities;
}

/** A new client introduces itself with every request, an old one once. */
export function clientOf(server: Server, ctx: ServerContext): Client {
  const envelope = (ctx.mcpReq.envelope ?? {}) as Readonly<Record<string, unknown>>;
  const info = (envelope[CLIENT_INFO_META_KEY] ?? server.getClientVersion()) as Implementation | undefined;
  const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities() ?? {};
  return { name: info?.name ?? "unknown", capabilities };
}
