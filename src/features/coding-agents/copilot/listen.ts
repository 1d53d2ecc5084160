// What Copilot says while it works, as calls of the hooks, until its session is idle again or has failed.
import { failureOfStatus, ProviderFailure } from "../../../providers/failure.ts";
import type { CodingHooks } from "../agent.ts";

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const count = (value: unknown): number => (typeof value === "number" ? value : 0);

/** Kinds of errors that come without a status, and the status that they stand for. */
const STATUSES: Readonly<Record<string, number>> = {
  authentication: 401,
  authorization: 403,
  rate_limit: 429,
  context_limit: 400,
};

export class CopilotListener {
  /** The last message: those before it went along with tools. */
  answer = "";
  calls = 0;
  readonly #tools = new Map<string, string>();
  #resolve: () => void = () => {};
  #reject: (failure: ProviderFailure) => void = () => {};
  readonly idle: Promise<void> = new Promise((resolve, reject) => {
    this.#resolve = resolve;
    this.#reject = reject;
  });
  /** Informed when a tool has ended: the place to stop at a limit. */
  toolEnded: () => void = () => {};

  constructor(
    private readonly hooks: CodingHooks,
    private readonly ownTools: ReadonlySet<string>,
  ) {
    this.idle.catch(() => {});
  }

  fail(failure: ProviderFailure): void {
    this.#reject(failure);
  }

  hear({ type, data = {}, agentId }: CopilotEvent): void {
    this.hooks.heard();
    // What an agent below it says is not its answer; what that one does and uses is.
    if (agentId !== undefined && !/^(?:tool\.|assistant\.usage$)/.test(type)) return;
    switch (type) {
      case "assistant.turn_start":
        this.hooks.turn();
        break;
      case "assistant.message_delta":
        this.hooks.text(text(data.deltaContent));
        break;
      case "assistant.reasoning_delta":
        this.hooks.reasoning(text(data.deltaContent));
        break;
      case "assistant.message":
        this.answer = text(data.content) || this.answer;
        break;
      case "assistant.usage":
        this.#used(data);
        break;
      case "tool.execution_start":
        this.#began(text(data.toolCallId), text(data.toolName), data.arguments);
        break;
      case "tool.execution_complete":
        this.#completed(text(data.toolCallId), data);
        break;
      case "session.error":
        this.#reject(failureOf(data));
        break;
      case "session.idle":
        this.#resolve();
        break;
      default:
    }
  }

  #used(data: Readonly<Record<string, unknown>>): void {
    this.calls += 1;
    this.hooks.used({
      tokens: {
        input: count(data.inputTokens),
        output: count(data.outputTokens),
        cacheRead: count(data.cacheReadTokens),
        cacheWrite: count(data.cacheWriteTokens),
        reasoning: count(data.reasoningTokens),
      },
      model: text(data.model) || undefined,
    });
  }

  #began(id: string, name: string, input: unknown): void {
    if (this.ownTools.has(name)) return;
    this.#tools.set(id, name);
    this.hooks.toolStarted(name, input);
  }

  #completed(id: string, { success, result, error }: Readonly<Record<string, unknown>>): void {
    const name = this.#tools.get(id);
    this.#tools.delete(id);
    if (name !== undefined) this.hooks.toolCompleted(name, contentOf(result ?? error), success === false);
    this.toolEnded();
  }
}

const contentOf = (result: unknown): unknown => {
  const { content, message } = (result ?? {}) as { readonly content?: unknown; readonly message?: unknown };
  return content ?? message ?? result ?? "";
};

function failureOf(data: Readonly<Record<string, unknown>>): ProviderFailure {
  const message = text(data.message) || "the Copilot session failed";
  const status = typeof data.statusCode === "number" ? data.statusCode : null;
  const kind = text(data.errorType);
  // No waiting helps against it.
  if (kind === "quota" || /quota/.test(text(data.errorCode)))
    return new ProviderFailure("unavailable", message, status);
  return failureOfStatus(status ?? (Object.hasOwn(STATUSES, kind) ? (STATUSES[kind] ?? null) : null), message);
}

export interface CopilotEvent {
  readonly type: string;
  readonly data?: Readonly<Record<string, unknown>>;
  /** Of an agent below the one that was asked. */
  readonly agentId?: string;
}

export interface CopilotSession {
  on(handler: (event: CopilotEvent) => void): () => void;
  send(options: { readonly prompt: string }): Promise<unknown>;
  /** With what `send` does not have: the shape of the answer. */
  readonly rpc: { send(request: Readonly<Record<string, unknown>>): Promise<unknown> };
  abort(): Promise<void>;
  disconnect(): Promise<void>;
}

export interface CopilotClient {
  start(): Promise<void>;
  createSession(config: Readonly<Record<string, unknown>>): Promise<CopilotSession>;
  resumeSession(id: string, config: Readonly<Record<string, unknown>>): Promise<CopilotSession>;
  ping(): Promise<unknown>;
  stop(): Promise<unknown>;
}

export interface CopilotSdk {
  readonly CopilotClient: new (options: Readonly<Record<string, unknown>>) => CopilotClient;
  readonly RuntimeConnection: { forUri(url: string, options: { readonly connectionToken?: string }): unknown };
}

export interface CopilotRequest {
  readonly kind: string;
  readonly fullCommandText?: string;
  readonly fileName?: string;
  readonly path?: string;
  readonly resolvedPath?: string;
  readonly url?: string;
  readonly toolName?: string;
  /** Of a write: what would come and go, and what the file would be. */
  readonly diff?: string;
  readonly newFileContents?: string;
  readonly args?: unknown;
  /** Another one for each request. */
  readonly toolCallId?: string;
}

export interface CopilotToolResult {
  readonly textResultForLlm: string;
  readonly resultType: "success" | "failure";
}

export type CopilotDecision =
  | { readonly kind: "approve-once" }
  | { readonly kind: "reject"; readonly feedback?: string };
