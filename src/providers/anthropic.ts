// Anthropic's Messages API, or a gateway that speaks it.
import type { JSONValue } from "ai";
import { streamTurn, THINKING_TOKENS } from "./ai-sdk.ts";
import { ANOTHER_PROVIDER, ProviderFailure } from "./failure.ts";
import { anthropicName } from "./prices.ts";
import type { Effort, Hooks, Provider, ProviderCall, Turn } from "./provider.ts";

/** The SDK lowers it to what a model it knows can do. */
const DEFAULT_MAX_TOKENS = 16_384;

/** From Opus 4.7 on, models decide themselves how long to think, and take an effort instead of a budget. */
const thinksAdaptively = (model: string): boolean => /claude-(?:opus-4-[7-9]|[a-z]+-[5-9](?:-|$))/.test(model);

function thinking(model: string, effort: Effort | undefined): Record<string, JSONValue> {
  if (!effort) return {};
  if (thinksAdaptively(model)) return { thinking: { type: "adaptive" }, effort };
  return { thinking: { type: "enabled", budgetTokens: THINKING_TOKENS[effort] } };
}

/** `https://host` and `https://host/v1` are the same API. */
const withVersion = (url: string): string => `${url.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1`;

function credentials({ settings, env }: ProviderCall): { readonly apiKey: string } | { readonly authToken: string } {
  const apiKey = settings.api_key || (settings.auth_token ? undefined : env.ANTHROPIC_API_KEY);
  if (apiKey) return { apiKey };
  const authToken = settings.auth_token || env.ANTHROPIC_AUTH_TOKEN;
  if (authToken) return { authToken };
  throw new ProviderFailure(
    "unready",
    `no key: set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN for a gateway) in the environment, ${ANOTHER_PROVIDER}`,
  );
}

async function call(request: ProviderCall, hooks: Hooks): Promise<Turn> {
  const keys = credentials(request);
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  const connect = ({ fetch }: ProviderCall) =>
    createAnthropic({
      ...keys,
      baseURL: withVersion(request.settings.base_url || request.env.ANTHROPIC_BASE_URL || "https://api.anthropic.com"),
      headers: request.settings.headers,
      fetch,
    });
  const model = anthropicName(request.model);
  const adaptive = request.effort && thinksAdaptively(model) ? THINKING_TOKENS[request.effort] : 0;
  return await streamTurn(
    (asked) => ({
      model: connect(asked)(model),
      // Adaptive thinking is paid from the same purse as the answer; a budget is added by the SDK.
      maxOutputTokens: request.maxTokens ?? DEFAULT_MAX_TOKENS + adaptive,
      providerOptions: () => ({ anthropic: thinking(model, request.effort) }),
    }),
    request,
    hooks,
  );
}

export const anthropic: Provider = { name: "anthropic", defaultModel: "claude-sonnet-4-5", call };
