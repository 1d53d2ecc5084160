// OpenAI, and every server that speaks its language: Azure, Ollama, vLLM, LM Studio, gateways.
// The real API is called through Responses unless `wire_api` says otherwise; others through Chat Completions.
import { type Dialect, streamTurn, THINKING_TOKENS } from "./ai-sdk.ts";
import { ANOTHER_PROVIDER, ProviderFailure } from "./failure.ts";
import type { Hooks, Provider, ProviderCall, Turn } from "./provider.ts";

/** GPT-3.5 and the first GPT-4s refuse more than they can write; those since GPT-4o can write this much and more. */
const defaultMaxTokens = (model: string): number => (/^gpt-(?:3|4(?:-|$))/.test(model) ? 4096 : 16_384);

const isOpenAi = (url: string): boolean => /^https:\/\/(?:[a-z]+\.)?api\.openai\.com(?:\/|$)/.test(url);

async function call(request: ProviderCall, hooks: Hooks): Promise<Turn> {
  const { settings, env } = request;
  const baseUrl = (settings.base_url || env.OPENAI_BASE_URL || "https://api.openai.com/v1").replace(/\/+$/, "");
  const apiKey = settings.api_key || settings.bearer_token || env.OPENAI_API_KEY || undefined;
  return await streamTurn(dialect, request, hooks);

  function dialect(asked: ProviderCall): Promise<Dialect> {
    if (isOpenAi(baseUrl)) return openAiDialect(asked, baseUrl, apiKey);
    if (settings.type === "azure") return azureDialect(asked, baseUrl);
    if (settings.wire_api === "responses") return openAiDialect(asked, baseUrl, apiKey ?? "none");
    return compatibleDialect(asked, { baseURL: baseUrl, apiKey, headers: settings.headers });
  }
}

async function openAiDialect(request: ProviderCall, baseURL: string, apiKey: string | undefined): Promise<Dialect> {
  if (!apiKey)
    throw new ProviderFailure("unready", `no key: set OPENAI_API_KEY in the environment, ${ANOTHER_PROVIDER}`);
  const { createOpenAI } = await import("@ai-sdk/openai");
  const openai = createOpenAI({ baseURL, apiKey, headers: request.settings.headers, fetch: request.fetch });
  const chat = request.settings.wire_api === "completions" || request.settings.wire_api === "chat";
  const { model, effort } = request;
  return {
    model: chat ? openai.chat(model) : openai.responses(model),
    // Reasoning is paid from the same purse as the answer.
    maxOutputTokens: request.maxTokens ?? defaultMaxTokens(model) + THINKING_TOKENS[effort ?? "medium"],
    providerOptions: (strict) => ({
      openai: {
        strictJsonSchema: strict,
        ...(effort ? { reasoningEffort: effort } : {}),
        // Nothing of a run is kept on their side, so each turn carries its reasoning itself.
        ...(chat ? {} : { store: false, ...(effort ? { reasoningSummary: "auto" } : {}) }),
      },
    }),
  };
}

interface Endpoint {
  readonly baseURL: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly queryParams?: Record<string, string>;
}

async function compatibleDialect(request: ProviderCall, endpoint: Endpoint): Promise<Dialect> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const server = createOpenAICompatible({
    ...endpoint,
    name: "openaiCompatible",
    includeUsage: true,
    supportsStructuredOutputs: true,
    fetch: request.fetch,
  });
  return {
    model: server.chatModel(request.model),
    // Left to the server unless it is said: a local model's window is small, and asking for more than is left of it fails.
    maxOutputTokens: request.maxTokens,
    alsoPromptSchema: true,
    providerOptions: (strict) => ({
      openaiCompatible: { strictJsonSchema: strict, ...(request.effort ? { reasoningEffort: request.effort } : {}) },
    }),
  };
}

/** Azure: by version-less `v1` routes, or by deployment when the file names an `azure.api_version`. */
async function azureDialect(request: ProviderCall, baseUrl: string): Promise<Dialect> {
  const { settings, env } = request;
  const key = settings.api_key || env.AZURE_OPENAI_API_KEY || env.OPENAI_API_KEY;
  const token = settings.bearer_token;
  if (!key && !token)
    throw new ProviderFailure(
      "unready",
      "no key: set AZURE_OPENAI_API_KEY in the environment, or api_key of runtime.provider to a ${VARIABLE}",
    );
  const version = settings.azure?.api_version;
  const root = baseUrl.includes("/openai") ? baseUrl : `${baseUrl}/openai`;
  return await compatibleDialect(request, {
    baseURL: version
      ? `${root}/deployments/${encodeURIComponent(request.model)}`
      : root.endsWith("/v1")
        ? root
        : `${root}/v1`,
    apiKey: token,
    headers: { ...(token || !key ? {} : { "api-key": key }), ...settings.headers },
    queryParams: version ? { "api-version": version } : undefined,
  });
}

export const openai: Provider = { name: "openai", defaultModel: "gpt-5-mini", call };
