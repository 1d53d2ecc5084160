// What Claude says while it works, as calls of the hooks; and what it used, reported call by call.

import { limitOfWindow } from "../../../providers/classify.ts";
import type { RateLimit, TokenCounts } from "../../../providers/provider.ts";
import { addTokens, NO_TOKENS } from "../../../providers/tokens.ts";
import type { CodingHooks } from "../agent.ts";
import { OWN_TOOL } from "./options.ts";

/** Through which Claude gives an answer of the asked shape. */
const ANSWER_TOOL = "StructuredOutput";

export class ClaudeListener {
  readonly #tools = new Map<string, string>();
  /** What was reported of each model. */
  readonly #reported = new Map<string, TokenCounts>();
  /** Of models without a price: reported at the end, when Claude says what they cost. */
  readonly #unreported = new Map<string, TokenCounts>();
  /** Calls of agents that Claude has started: they are not streamed. */
  readonly #subCalls = new Set<string>();
  calls = 0;
  called: () => void = () => {};
  #open: { readonly model: string; readonly tokens: TokenCounts } | undefined;
  result: ClaudeResult | undefined;
  failure: string | undefined;
  /** The limit of the subscription that refused it, and when it resets in epoch milliseconds. */
  limit: { readonly limit: RateLimit; readonly resetsAt: number | null } | undefined;
  text = "";

  constructor(private readonly hooks: CodingHooks) {}

  hear(message: ClaudeMessage): void {
    this.hooks.heard();
    switch (message.type) {
      case "stream_event":
        this.#streamed(message.event, message.parent_tool_use_id ?? null);
        break;
      case "assistant":
        this.failure = message.error ?? this.failure;
        if (message.parent_tool_use_id) this.#subCalled(message.message);
        for (const block of blocksOf(message.message.content)) this.#called(block);
        break;
      case "user":
        for (const block of blocksOf(message.message.content)) this.#answered(block);
        break;
      case "rate_limit_event": {
        const { status, resetsAt, rateLimitType } = message.rate_limit_info ?? {};
        if (status === "rejected")
          this.limit = {
            limit: limitOfWindow(rateLimitType),
            resetsAt: typeof resetsAt === "number" ? resetsAt * 1000 : null,
          };
        else if (status !== undefined) this.limit = undefined;
        break;
      }
      case "result":
        this.result = message;
        this.#settle(message);
        break;
      default:
    }
  }

  /** Tells what is left to tell when no result came. */
  end(): void {
    this.#closeCall();
    for (const [model, tokens] of this.#unreported) this.hooks.used({ model, tokens });
    this.#unreported.clear();
  }

  /** A message comes in several parts, which all have its id. */
  #subCalled({ id = "", model = "", usage = {} }: AssistantMessage): void {
    if (this.#subCalls.has(id)) return;
    this.#subCalls.add(id);
    this.#use(model, { ...inputOf(usage), output: usage.output_tokens ?? 0 });
    this.#count();
  }

  #count(): void {
    this.calls += 1;
    this.called();
  }

  #streamed(event: StreamEvent, parent: string | null): void {
    if (parent !== null) return;
    switch (event.type) {
      case "message_start": {
        this.#closeCall();
        this.hooks.turn();
        this.text = "";
        const { model = "", usage = {} } = event.message ?? {};
        this.#open = { model, tokens: inputOf(usage) };
        this.#count();
        break;
      }
      case "content_block_delta":
        if (event.delta?.type === "text_delta") {
          this.text += event.delta.text ?? "";
          this.hooks.text(event.delta.text ?? "");
        } else if (event.delta?.type === "thinking_delta") this.hooks.reasoning(event.delta.thinking ?? "");
        break;
      case "message_delta":
        if (this.#open)
          this.#open = {
            ...this.#open,
            tokens: { ...this.#open.tokens, output: event.usage?.output_tokens ?? this.#open.tokens.output },
          };
        break;
      case "message_stop":
        this.#closeCall();
        break;
      default:
    }
  }

  #closeCall(): void {
    if (!this.#open) return;
    const { model, tokens } = this.#open;
    this.#open = undefined;
    this.#use(model, tokens);
  }

  #use(model: string, tokens: TokenCounts): void {
    if (this.hooks.used({ model, tokens, costUsd: "later" })) add(this.#reported, model, tokens);
    else add(this.#unreported, model, tokens);
  }

  /** Calls not reported yet (the last ones of subagents, of compaction) and models that only Claude has a price for. */
  #settle({ model_usage_since_last_result: used }: ClaudeResult): void {
    this.#closeCall();
    for (const [model, totals] of Object.entries(used ?? {})) {
      const reported = this.#reported.get(model);
      const rest = restOf(totals, reported ?? NO_TOKENS);
      this.#unreported.delete(model);
      if (rest.input + rest.output > 0)
        this.hooks.used({ model, tokens: rest, ...(reported ? {} : { costUsd: totals.costUSD ?? 0 }) });
    }
    this.end();
  }

  #called({ type, id = "", name = "", input }: ContentBlock): void {
    if (type !== "tool_use" || name === ANSWER_TOOL || name.startsWith(OWN_TOOL)) return;
    this.#tools.set(id, name);
    this.hooks.toolStarted(name, input);
  }

  #answered({ type, tool_use_id = "", content, is_error }: ContentBlock): void {
    const name = this.#tools.get(tool_use_id);
    if (type !== "tool_result" || name === undefined) return;
    this.#tools.delete(tool_use_id);
    this.hooks.toolCompleted(name, textOf(content), is_error === true);
  }
}

function inputOf(usage: ClaudeUsage): TokenCounts {
  const cacheRead = usage.cache_read_input_tokens ?? 0;
  const cacheWrite = usage.cache_creation_input_tokens ?? 0;
  return { ...NO_TOKENS, input: (usage.input_tokens ?? 0) + cacheRead + cacheWrite, cacheRead, cacheWrite };
}

const blocksOf = (content: unknown): readonly ContentBlock[] => (Array.isArray(content) ? content : []);

const textOf = (content: unknown): unknown =>
  Array.isArray(content) ? content.map((part: { readonly text?: string }) => part.text ?? "").join("\n") : content;

function add(sums: Map<string, TokenCounts>, model: string, tokens: TokenCounts): void {
  sums.set(model, addTokens(sums.get(model) ?? NO_TOKENS, tokens));
}

function restOf(totals: ModelTotals, reported: TokenCounts): TokenCounts {
  const { inputTokens = 0, outputTokens = 0, cacheReadInputTokens = 0, cacheCreationInputTokens = 0 } = totals;
  const left = (all: number, known: number): number => Math.max(0, all - known);
  return {
    input: left(inputTokens + cacheReadInputTokens + cacheCreationInputTokens, reported.input),
    output: left(outputTokens, reported.output),
    cacheRead: left(cacheReadInputTokens, reported.cacheRead),
    cacheWrite: left(cacheCreationInputTokens, reported.cacheWrite),
    reasoning: 0,
  };
}

export interface ClaudeSdk {
  query(request: { readonly prompt: string; readonly options: ClaudeOptions }): AsyncIterable<ClaudeMessage>;
}

export type ClaudeOptions = Readonly<Record<string, unknown>>;

interface ClaudeUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
}

interface StreamEvent {
  readonly type: string;
  readonly message?: { readonly model?: string; readonly usage?: ClaudeUsage };
  readonly usage?: ClaudeUsage;
  readonly delta?: { readonly type?: string; readonly text?: string; readonly thinking?: string };
}

interface ContentBlock {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: unknown;
  readonly is_error?: boolean;
}

interface ModelTotals {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadInputTokens?: number;
  readonly cacheCreationInputTokens?: number;
  readonly costUSD?: number;
}

interface ClaudeResult {
  readonly type: "result";
  readonly subtype: string;
  readonly is_error: boolean;
  readonly api_error_status?: number | null;
  readonly result?: string;
  readonly structured_output?: unknown;
  readonly errors?: readonly string[];
  readonly startup_failure_reason?: string;
  readonly permission_denials?: readonly {
    readonly tool_name: string;
    readonly tool_input: Readonly<Record<string, unknown>>;
  }[];
  readonly modelUsage?: Readonly<Record<string, ModelTotals>>;
  /** Of this query alone; `modelUsage` of a resumed session goes back to its beginning. */
  readonly model_usage_since_last_result?: Readonly<Record<string, ModelTotals>>;
}

interface AssistantMessage {
  readonly id?: string;
  readonly model?: string;
  readonly usage?: ClaudeUsage;
  readonly content?: string | readonly ContentBlock[];
}

type ClaudeMessage =
  | ClaudeResult
  | { readonly type: "stream_event"; readonly event: StreamEvent; readonly parent_tool_use_id?: string | null }
  | {
      readonly type: "assistant" | "user";
      readonly message: AssistantMessage;
      /** Of an agent that was started by this call of a tool. */
      readonly parent_tool_use_id?: string | null;
      /** What kind of failure the text of the message is about: `billing_error`, `rate_limit` … */
      readonly error?: string;
    }
  | {
      readonly type: "rate_limit_event";
      /** `resetsAt` is in seconds since 1970. */
      readonly rate_limit_info?: {
        readonly status?: string;
        readonly resetsAt?: number;
        readonly rateLimitType?: string;
      };
    }
  | { readonly type: "system"; readonly subtype?: string };

export interface SpawnRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type ToolDecision =
  | { readonly behavior: "allow"; readonly updatedInput: Readonly<Record<string, unknown>> }
  | { readonly behavior: "deny"; readonly message: string; readonly interrupt?: boolean };
