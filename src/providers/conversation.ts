// One agent's conversation with one model: turn by turn, tools in between, until there is an answer or a limit.
import type { Caller } from "../steps/caller.ts";
import { whenOurs } from "../steps/when-ours.ts";
import { capAnswer, SaidEvents } from "./answer-stream.ts";
import { ProviderFailure } from "./failure.ts";
import type { CallOptions } from "./options.ts";
import { type Prices, priceOf } from "./prices.ts";
import type { Hooks, Message, Provider, ProviderCall, ToolCall, ToolReply, Turn } from "./provider.ts";
import { addSpent, NOTHING_SPENT, type TokensSpent } from "./tokens.ts";
import { type Toolbox, ToolboxFailure } from "./toolbox.ts";
import { type CallResult, tryTurns } from "./transport.ts";

export interface Conversation {
  readonly provider: Provider;
  /** The call without what changes from turn to turn. */
  readonly base: Omit<ProviderCall, "messages" | "mayUseTools" | "signal">;
  readonly opening: readonly Message[];
  /** False: the step says `tools: []`; providers with tools of their own leave them out as well. */
  readonly mayUseTools: boolean;
  readonly toolbox: Toolbox;
  readonly options: CallOptions;
  readonly attempt: Caller;
  readonly prices: Prices;
  readonly random: () => number;
  /** Said once per call, however many turns it takes. */
  readonly warn: (message: string) => void;
}

export type Conversed =
  | { readonly ok: true; readonly turn: Turn; readonly messages: readonly Message[]; readonly spent: TokensSpent }
  | {
      readonly ok: false;
      /** Null: the step was stopped from outside. */
      readonly failure: ProviderFailure | ToolboxFailure | null;
      readonly attempts: number;
      readonly text: string;
      readonly spent: TokensSpent;
    };

export async function converse(conversation: Conversation): Promise<Conversed> {
  const { attempt, options, toolbox, warn } = conversation;
  const started = attempt.clock.now();
  const messages = [...conversation.opening];
  let spent = NOTHING_SPENT;
  let text = "";
  let lastTurn = false;

  for (let turn = 1; ; turn += 1) {
    const { model } = conversation.base;
    attempt.emit("agent_turn_start", { agent_name: attempt.node, turn, ...(model ? { model } : {}) });
    const pay = (used: Used): void => {
      spent = addSpent(spent, account(conversation, used));
    };
    const tried = await takeTurn(conversation, messages, conversation.mayUseTools && !lastTurn, pay);
    if (!tried.ok) return { ok: false, failure: tried.failure, attempts: tried.attempts, text, spent };
    const { value } = tried;
    pay(value);
    text = value.text || text;
    messages.push({ role: "assistant", text: value.text, calls: value.calls, native: value.native });
    if (value.cutAtMaxTokens)
      warn("The answer was cut at max_tokens. Raise max_tokens of runtime or ask for a shorter answer.");
    if (lastTurn || (value.calls.length === 0 && !value.goesOn))
      return { ok: true, turn: { ...value, calls: [] }, messages, spent };

    if (value.calls.length > 0) {
      try {
        messages.push({ role: "tool", replies: await Promise.all(value.calls.map(toolbox.run)) });
      } catch (error) {
        if (!(error instanceof ToolboxFailure)) throw error;
        return { ok: false, failure: attempt.signal.aborted ? null : error, attempts: tried.attempts, text, spent };
      }
    }
    const late = options.sessionSeconds !== null && attempt.clock.now() - started >= options.sessionSeconds * 1000;
    lastTurn = turn >= options.toolRounds || late;
    if (lastTurn) {
      const limit = late
        ? `max_session_seconds (${options.sessionSeconds})`
        : `max_agent_iterations (${options.toolRounds})`;
      warn(`The agent has used up ${limit}; it is asked to answer with what it has.`);
      messages.push({
        role: "user",
        text: "You may not use any more tools. Give your final answer now, with what you have.",
      });
    }
  }
}

type Used = Pick<Turn, "tokens" | "model">;

/** One turn with its transport retries; `pay` gets what failed calls used. */
async function takeTurn(
  conversation: Conversation,
  messages: readonly Message[],
  mayUseTools: boolean,
  pay: (used: Used) => void,
): Promise<CallResult<Turn>> {
  const { attempt, options, provider, base } = conversation;
  const target = { provider: provider.name, model: base.model };
  const { policy } = options;
  return await tryTurns({ attempt, policy, random: conversation.random }, target, ask, (turn) => ({
    inputTokens: turn?.tokens.input ?? 0,
    limits: turn?.limits,
  }));

  async function ask(): Promise<Turn> {
    const said = new SaidEvents(attempt);
    // Real time, also in tests: a server's silence is real.
    // Whole milliseconds, which it insists on: 1.001 s are 1000.9999999999999 ms.
    const late = AbortSignal.timeout(Math.min(Math.ceil(options.timeoutSeconds * 1000), LONGEST_TIMER_MS));
    const cap = capAnswer(AbortSignal.any([late, attempt.signal]), base.fetch);
    const hooks: Hooks = {
      text: (chunk) => {
        cap.said(chunk);
        said.text(chunk);
      },
      reasoning: (chunk) => {
        cap.said(chunk);
        said.reasoning(chunk);
      },
      warn: conversation.warn,
      runTool: cappedTools(conversation),
    };
    try {
      const asked = { ...base, messages, mayUseTools, signal: cap.signal, fetch: cap.fetch };
      return await whenOurs(attempt, () => provider.call(asked, hooks));
    } catch (error) {
      const endless = cap.exceeded();
      if (endless) throw endless;
      if (error instanceof ProviderFailure && error.used) pay(error.used);
      if (late.aborted) throw new ProviderFailure("timeout", `there was no answer within ${options.timeoutSeconds} s`);
      throw error;
    } finally {
      said.flush();
    }
  }
}

/** For providers that run the tool loop themselves: the same limit, as an answer to the model. */
function cappedTools({ toolbox, options }: Conversation): (call: ToolCall) => Promise<ToolReply> {
  let rounds = 0;
  return async (call) => {
    rounds += 1;
    if (rounds <= options.toolRounds) return await toolbox.run(call);
    return {
      id: call.id,
      name: call.name,
      text: "You may not use any more tools. Give your final answer now.",
      failed: true,
    };
  };
}

/** What one turn cost. The step reports it: only it knows what the call was for. */
function account({ base, prices, warn }: Conversation, turn: Used): TokensSpent {
  const model = turn.model ?? base.model;
  // The file's prices are under the name that the file uses.
  const priced = priceOf(prices.pricing[base.model] ? base.model : model, turn.tokens, prices.pricing, prices.list);
  if (priced.warning) warn(priced.warning);
  return { tokens: turn.tokens, costUsd: priced.usd, ...(priced.isEstimate ? { isEstimate: true } : {}) };
}

/** What a timer can hold, 24 days: what is longer it would do at once. No single call lasts that long. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
