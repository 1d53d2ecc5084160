// GitHub Copilot through its SDK, an optional peer that the user installs. Its runtime drives the tool loop itself and
// brings tools of its own; ours are handed to it. Written against the SDK's documented interface.
import { schemaInstruction } from "./answer-shape.ts";
import { ProviderFailure } from "./failure.ts";
import { loadPackage } from "./load-package.ts";
import type { Hooks, Message, Provider, ProviderCall, ProviderSettings, TokenCounts, Turn } from "./provider.ts";
import { addTokens, NO_TOKENS } from "./tokens.ts";

interface CopilotEvent {
  readonly type: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

interface CopilotSession {
  on(handler: (event: CopilotEvent) => void): () => void;
  send(options: { readonly prompt: string }): Promise<unknown>;
  abort(): Promise<void>;
  disconnect(): Promise<void>;
}

interface CopilotClient {
  start(): Promise<void>;
  createSession(config: Readonly<Record<string, unknown>>): Promise<CopilotSession>;
  stop(): Promise<unknown>;
}

export interface CopilotSdk {
  readonly CopilotClient: new (options: Readonly<Record<string, unknown>>) => CopilotClient;
  readonly approveAll?: unknown;
  readonly RuntimeConnection?: { forUri(url: string, options: { readonly connectionToken?: string }): unknown };
}

const PACKAGE = "@github/copilot-sdk";

const loadSdk = async (): Promise<CopilotSdk> => (await loadPackage(PACKAGE)) as CopilotSdk;

async function found(load: () => Promise<CopilotSdk>): Promise<CopilotSdk> {
  try {
    return await load();
  } catch (error) {
    throw new ProviderFailure(
      "unready",
      `the GitHub Copilot SDK cannot be loaded (${(error as { code?: string }).code ?? String(error)}). Install it beside Segno with "npm install ${PACKAGE}", or choose another provider: --provider anthropic or --provider openai, or runtime.provider in the file`,
    );
  }
}

/** The SDK keeps its sessions itself; of a conversation we kept, it gets the words. */
function asPrompt(messages: readonly Message[]): string {
  const said = messages.flatMap((message) =>
    message.role === "tool" ? [] : [{ who: message.role === "user" ? "User" : "You", text: message.text }],
  );
  const last = said.pop();
  if (said.length === 0) return last?.text ?? "";
  const before = said.map(({ who, text }) => `${who}: ${text}`).join("\n\n");
  return `The conversation so far:\n\n${before}\n\nNow:\n\n${last?.text ?? ""}`;
}

/** A custom endpoint behind Copilot's runtime. */
function customEndpoint(
  settings: ProviderSettings,
  env: ProviderCall["env"],
): Readonly<Record<string, unknown>> | undefined {
  const baseUrl = settings.base_url || env.COPILOT_PROVIDER_BASE_URL;
  if (!baseUrl) return undefined;
  return {
    type: settings.type ?? "openai",
    baseUrl,
    apiKey: settings.api_key || env.COPILOT_PROVIDER_API_KEY,
    bearerToken: settings.bearer_token || env.COPILOT_PROVIDER_BEARER_TOKEN,
    wireApi: settings.wire_api,
    headers: settings.headers,
    azure: settings.azure?.api_version ? { apiVersion: settings.azure.api_version } : undefined,
  };
}

function clientOptions(sdk: CopilotSdk, request: ProviderCall): Readonly<Record<string, unknown>> {
  const { settings, env, cwd } = request;
  const url = settings.runtime_url || env.COPILOT_PROVIDER_RUNTIME_URL;
  const connectionToken = settings.runtime_token || env.COPILOT_PROVIDER_RUNTIME_TOKEN;
  if (url && sdk.RuntimeConnection)
    return { connection: sdk.RuntimeConnection.forUri(url, connectionToken ? { connectionToken } : {}) };
  return { workingDirectory: cwd, env, logLevel: "error" };
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const count = (value: unknown): number => (typeof value === "number" ? value : 0);

/** Sends the prompt and listens until the session is idle again. */
function listen(session: CopilotSession, request: ProviderCall, hooks: Hooks): Promise<Omit<Turn, "wrapped">> {
  return new Promise((resolve, reject) => {
    let answer = "";
    let model: string | undefined;
    let tokens: TokenCounts = NO_TOKENS;
    const stop = () => {
      session.abort().catch(() => {});
      reject(request.signal.reason);
    };
    const fail = (error: unknown) => {
      const said = error instanceof Error ? error.message : String(error);
      reject(new ProviderFailure("transient", said || "the Copilot session failed"));
    };
    request.signal.addEventListener("abort", stop, { once: true });
    session.on(({ type, data = {} }) => {
      if (type === "assistant.message_delta") hooks.text(text(data.deltaContent));
      else if (type === "assistant.reasoning_delta") hooks.reasoning(text(data.deltaContent));
      // The last message is the answer; those before it went along with tool calls.
      else if (type === "assistant.message") answer = text(data.content) || answer;
      else if (type === "assistant.usage") {
        model = text(data.model) || model;
        tokens = addTokens(tokens, {
          input: count(data.inputTokens),
          output: count(data.outputTokens),
          cacheRead: count(data.cacheReadTokens),
          cacheWrite: count(data.cacheWriteTokens),
          reasoning: count(data.reasoningTokens),
        });
      } else if (type === "session.error") fail(new Error(text(data.message)));
      else if (type === "session.idle")
        resolve({ text: answer, calls: [], goesOn: false, tokens, model, cutAtMaxTokens: false });
    });
    session.send({ prompt: asPrompt(request.messages) }).catch(fail);
  });
}

export function copilotProvider(load: () => Promise<CopilotSdk> = loadSdk): Provider {
  async function call(request: ProviderCall, hooks: Hooks): Promise<Turn> {
    const sdk = await found(load);
    const system = [request.system, request.schema ? schemaInstruction(request.schema) : ""]
      .filter(Boolean)
      .join("\n\n");
    const client = new sdk.CopilotClient(clientOptions(sdk, request));
    let session: CopilotSession | undefined;
    try {
      await client.start();
      session = await client.createSession({
        ...(request.model ? { model: request.model } : {}),
        ...(request.effort ? { reasoningEffort: request.effort } : {}),
        ...(system ? { systemMessage: { content: system } } : {}),
        ...(request.mayUseTools ? {} : { availableTools: [] }),
        provider: customEndpoint(request.settings, request.env),
        workingDirectory: request.cwd,
        streaming: true,
        // Nobody sits in front of a workflow; policies and gates are the place to hold an agent.
        onPermissionRequest: sdk.approveAll,
        tools: request.tools.map((tool) => ({
          name: tool.name,
          description: tool.description,
          parameters: tool.inputSchema,
          handler: async (input: unknown, invocation?: { toolCallId?: string }) =>
            (await hooks.runTool({ id: invocation?.toolCallId ?? tool.name, name: tool.name, input })).text,
        })),
      });
      return { ...(await listen(session, request, hooks)), wrapped: false };
    } catch (error) {
      request.signal.throwIfAborted();
      if (error instanceof ProviderFailure) throw error;
      throw new ProviderFailure("transient", error instanceof Error ? error.message : String(error));
    } finally {
      await session?.disconnect().catch(() => {});
      await client.stop().catch(() => {});
    }
  }
  return { name: "copilot", defaultModel: "", call };
}

export const copilot: Provider = copilotProvider();
