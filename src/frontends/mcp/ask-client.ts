// Questions to the client in the middle of a request, and a gate as a form. A new client gets them as the answer and asks
// again with what it found (`input_required`); an old one is asked on its connection while the request waits.
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
  inputResponse,
  type McpRequestContext,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { ResultGate } from "../../base/results/result.ts";
import type { QuestionItem } from "../../engine/people/ask.ts";

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
    const answer = await carryOut(state ? { state, answers: inputResponses ?? {} } : {});
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
    const answer = await ctx.mcpReq.send(request, options).catch(() => undefined);
    if (answer !== undefined) answers[name] = answer;
  }
  return answers;
}

/** A new client introduces itself with every request, an old one once. */
export function clientOf(
  server: Server,
  ctx: ServerContext,
): { readonly name: string; readonly capabilities: ClientCapabilities } {
  const envelope = (ctx.mcpReq.envelope ?? {}) as Readonly<Record<string, unknown>>;
  const info = (envelope[CLIENT_INFO_META_KEY] ?? server.getClientVersion()) as Implementation | undefined;
  const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities() ?? {};
  return { name: info?.name ?? "unknown", capabilities };
}

type Form = Parameters<typeof inputRequired.elicit>[0];
type Fields = Record<string, Readonly<Record<string, unknown>>>;

/** The name of the field with the chosen option; a text that an option asks for has its own name after `for_`. */
const CHOICE = "choice";
const textField = (name: string): string => `for_${name}`;

const itemsOf = ({ questions = [] }: ResultGate) => questions as unknown as readonly QuestionItem[];

/** Nothing where a form cannot ask it. */
export function gateForm(gate: ResultGate): InputRequest | undefined {
  const properties = gate.kind === "questions" ? questionFields(gate) : optionFields(gate);
  if (Object.keys(properties).length === 0) return undefined;
  const required =
    gate.kind === "questions" ? itemsOf(gate).flatMap(({ id, required }) => (required ? [id] : [])) : [CHOICE];
  const message = [gate.name, gate.prompt].filter(Boolean).join(": ");
  return inputRequired.elicit({
    message,
    requestedSchema: { type: "object", properties, required } as Form["requestedSchema"],
  });
}

function optionFields({ options }: ResultGate): Fields {
  if (options.length === 0) return {};
  const texts = options.flatMap(({ label, prompt_for }) =>
    prompt_for ? [[textField(prompt_for), { type: "string", title: prompt_for, description: `for ${label}` }]] : [],
  );
  // Every client since the first knows `enum`; the names beside it are shown by those that can.
  const choice = {
    type: "string",
    enum: options.map(({ value }) => value),
    enumNames: options.map(({ label }) => label),
  };
  return { [CHOICE]: choice, ...Object.fromEntries(texts) };
}

function questionFields(gate: ResultGate): Fields {
  const fields = itemsOf(gate).map(({ id, text, hint, choices, allow_free_text, default: standard }) => [
    id,
    { type: "string", title: text, description: hint, enum: allow_free_text ? undefined : choices, default: standard },
  ]);
  return Object.fromEntries(fields);
}

/** Nothing when the user declined, cancelled or could not be asked: then the gate waits on. */
export function formAnswer(gate: ResultGate, answers: Readonly<Record<string, unknown>>) {
  const response = inputResponse({ ...answers }, "gate");
  if (response.kind !== "elicit" || response.action !== "accept") return undefined;
  const given = Object.entries(response.content ?? {}).map(([name, value]) => [name, String(value ?? "")] as const);
  if (gate.kind === "questions") return { value: "", inputs: Object.fromEntries(given) };
  const texts = new Map(given);
  const value = texts.get(CHOICE) ?? "";
  // Texts for options that were not chosen are left out: the gate would refuse them.
  const wanted = gate.options.find((option) => option.value === value)?.prompt_for;
  const text = wanted === undefined ? undefined : texts.get(textField(wanted));
  return { value, inputs: wanted !== undefined && text ? { [wanted]: text } : {} };
}
