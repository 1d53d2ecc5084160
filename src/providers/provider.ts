// The one interface behind every model: a provider takes a conversation and makes one turn of it.
// Retries, the tool loop, fallbacks, money and events live above it, so that a new provider is one small file.
import type { JsonSchema } from "../base/errors/mapping.ts";

export const REASONING_EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof REASONING_EFFORTS)[number];

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface ToolReply {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly failed: boolean;
}

/** A conversation so far. `native` is the provider's own form of its turn, sent back untouched: it may be signed. */
export type Message =
  | { readonly role: "user"; readonly text: string }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly calls: readonly ToolCall[];
      readonly native?: unknown;
    }
  | { readonly role: "tool"; readonly replies: readonly ToolReply[] };

/** What `provider` of a step or of `runtime` says when it is a mapping. */
export interface ProviderSettings {
  readonly base_url?: string;
  readonly api_key?: string;
  readonly auth_token?: string;
  readonly bearer_token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly wire_api?: string;
  readonly type?: string;
  readonly azure?: { readonly api_version?: string };
  readonly runtime_url?: string;
  readonly runtime_token?: string;
  /** Of agents that work in a folder; read by `features/coding-agents/permissions.ts`. */
  readonly sandbox?: string;
  readonly allow?: readonly string[];
  readonly ask?: string;
  readonly network?: boolean;
  readonly settings?: string;
  /** Of `claude-agent-sdk`: who pays, and whether agents without `tools` have tools of their own. */
  readonly auth_mode?: string;
  readonly native_tools?: string;
  /** Of `acp`: which agent, by name or by its command line, and what a call of it costs. */
  readonly agent?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly price?: number;
}

export interface ProviderCall {
  /** Empty: the provider's own default. */
  readonly model: string;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly schema?: JsonSchema;
  readonly tools: readonly ToolDefinition[];
  /** False on the last turn, when the tool budget is used up. */
  readonly mayUseTools: boolean;
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly effort?: Effort;
  readonly settings: ProviderSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** The run's clock, in epoch milliseconds: what a server counts from now on is counted from there. */
  readonly now?: () => number;
  /** Replaced in tests and behind proxies. */
  readonly fetch?: typeof fetch;
}

/** What a provider tells while it works. */
export interface Hooks {
  text(chunk: string): void;
  reasoning(chunk: string): void;
  warn(message: string): void;
  /** For providers whose runtime drives the tool loop itself. */
  runTool(call: ToolCall): Promise<ToolReply>;
}

export interface TokenCounts {
  /** All of them, cached ones included. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

export interface Turn {
  readonly text: string;
  /** Tools the model wants; empty: it is done. */
  readonly calls: readonly ToolCall[];
  /** The provider answered some calls itself (malformed ones), so the model has to go on. */
  readonly goesOn: boolean;
  readonly tokens: TokenCounts;
  /** The model that answered, if the provider says so. */
  readonly model?: string;
  readonly cutAtMaxTokens: boolean;
  /** The answer was asked for inside a wrapper object (see `answer.ts`). */
  readonly wrapped: boolean;
  readonly native?: unknown;
  /** The limits that the answer's headers report. */
  readonly limits?: readonly ReportedLimit[];
}

export interface Provider {
  readonly name: string;
  /** Used when neither the step nor the file names a model. */
  readonly defaultModel: string;
  /** One turn. Throws `ProviderFailure`, or the signal's reason when it was aborted. */
  call(request: ProviderCall, hooks: Hooks): Promise<Turn>;
}

/** What there is a limit on. `session` and `weekly` are windows of a subscription. */
export type RateLimit = "requests" | "input_tokens" | "output_tokens" | "session" | "weekly" | "spend";

/** One limit as a server reports it. */
export interface ReportedLimit {
  readonly limit: RateLimit;
  /** How much is allowed in a minute, where the server says so. */
  readonly perMinute: number | null;
  readonly remaining: number | null;
  /** Epoch milliseconds. */
  readonly resetsAt: number | null;
}
