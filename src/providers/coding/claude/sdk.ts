// As much of the Claude Agent SDK as is used here; the package itself is the user's.

export interface ClaudeSdk {
  query(request: { readonly prompt: string; readonly options: ClaudeOptions }): AsyncIterable<ClaudeMessage>;
}

export type ClaudeOptions = Readonly<Record<string, unknown>>;

export interface ClaudeUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
}

export interface StreamEvent {
  readonly type: string;
  readonly message?: { readonly model?: string; readonly usage?: ClaudeUsage };
  readonly usage?: ClaudeUsage;
  readonly delta?: { readonly type?: string; readonly text?: string; readonly thinking?: string };
}

export interface ContentBlock {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: unknown;
  readonly is_error?: boolean;
}

export interface ModelTotals {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadInputTokens?: number;
  readonly cacheCreationInputTokens?: number;
  readonly costUSD?: number;
}

export interface ClaudeResult {
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

export interface AssistantMessage {
  readonly id?: string;
  readonly model?: string;
  readonly usage?: ClaudeUsage;
  readonly content?: string | readonly ContentBlock[];
}

export type ClaudeMessage =
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

/** How the SDK wants its process started. */
export interface SpawnRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type ToolDecision =
  | { readonly behavior: "allow"; readonly updatedInput: Readonly<Record<string, unknown>> }
  | { readonly behavior: "deny"; readonly message: string; readonly interrupt?: boolean };
