// As much of the GitHub Copilot SDK as is used here; the package itself is the user's.

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

/** What a handler of a tool gives back. */
export interface CopilotToolResult {
  readonly textResultForLlm: string;
  readonly resultType: "success" | "failure";
}

export type CopilotDecision =
  | { readonly kind: "approve-once" }
  | { readonly kind: "reject"; readonly feedback?: string };
