// Which provider or coding agent a name means, and which one serves a model of a fallback list.

import type { CodingAgent } from "../features/coding-agents/agent.ts";
import { ProviderFailure } from "./failure.ts";
import type { Provider } from "./provider.ts";

const AGENTS: Readonly<Record<string, () => Promise<CodingAgent>>> = {
  acp: async () => (await import("../features/coding-agents/acp/index.ts")).acp,
  "claude-agent-sdk": async () => (await import("../features/coding-agents/claude/index.ts")).claude,
  codex: async () => (await import("../features/coding-agents/codex/index.ts")).codex,
  copilot: async () => (await import("../features/coding-agents/copilot/index.ts")).copilot,
};

const CODING_AGENTS: readonly string[] = Object.keys(AGENTS);

export const isCodingAgent = (name: string): boolean => Object.hasOwn(AGENTS, name);

export async function findCodingAgent(name: string): Promise<CodingAgent | undefined> {
  return isCodingAgent(name) ? await AGENTS[name]?.() : undefined;
}

const SYNONYMS: Readonly<Record<string, string>> = { claude: "anthropic" };

/** Names come from files, so a lookup must not find what every object inherits. */
const own = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

export const canonicalName = (name: string): string => own(SYNONYMS, name) ?? name;

/** Each provider's file is loaded when an agent first needs it. */
const PROVIDERS: Readonly<Record<string, () => Promise<Provider>>> = {
  anthropic: async () => (await import("./anthropic.ts")).anthropic,
  openai: async () => (await import("./openai.ts")).openai,
};

/** Providers that Conductor has and Segno does not, with what to use instead. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  hermes: "serve the model with an OpenAI-compatible server and use openai with its base_url",
  aca: "run Segno itself in your sandbox and use anthropic, openai or copilot",
};

export const PROVIDER_NAMES: readonly string[] = [
  ...new Set([...Object.keys(PROVIDERS), ...Object.keys(SYNONYMS), ...CODING_AGENTS]),
];

export async function findProvider(name: string, defined: Readonly<Record<string, Provider>> = {}): Promise<Provider> {
  const canonical = canonicalName(name);
  const mine = own(defined, name) ?? own(defined, canonical);
  if (mine) return mine;
  const load = own(PROVIDERS, canonical);
  if (load) return await load();
  const instead = own(ELSEWHERE, name) ?? `Segno knows ${PROVIDER_NAMES.join(", ")}`;
  throw new ProviderFailure(
    "unready",
    `there is no provider ${JSON.stringify(name)} here. ${instead}; choose one by runtime.provider in the file, or by SEGNO_PROVIDER`,
  );
}

export interface Served {
  readonly provider: string;
  readonly model: string;
}

/**
 * Who serves a model. `openai/gpt-5` says so itself; otherwise a model that only the other vendor has goes there, so that
 * `model: [claude-sonnet-4-5, gpt-5]` can fall back from one to the other. A custom base URL serves whatever it is asked for.
 */
export function servedBy(model: string, requested: string, hasCustomUrl: boolean): Served {
  const provider = canonicalName(requested);
  if (hasCustomUrl || (provider !== "anthropic" && provider !== "openai")) return { provider, model };
  const [vendor = "", name] = model.split("/", 2);
  const named = canonicalName(vendor);
  if (name && (named === "anthropic" || named === "openai")) return { provider: named, model: name };
  if (/^(?:gpt-|chatgpt-|o\d)/.test(model)) return { provider: "openai", model };
  if (model.startsWith("claude-")) return { provider: "anthropic", model };
  return { provider, model };
}
