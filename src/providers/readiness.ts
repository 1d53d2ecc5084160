// Whether a provider could be called from here: its key is there, its package is installed. Keys themselves are never shown.
import { loadPackage } from "./load-package.ts";
import type { ProviderSettings } from "./provider.ts";
import { canonicalName } from "./registry.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface Readiness {
  readonly provider: string;
  readonly ready: boolean;
  readonly message: string;
}

/** Variables that hold a key, the usual one first. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
  openai: ["OPENAI_API_KEY", "AZURE_OPENAI_API_KEY"],
};

const COPILOT = "@github/copilot-sdk";

export const CHECKED_PROVIDERS: readonly string[] = [...Object.keys(KEYS), "copilot"];

export async function readinessOf(name: string, settings: ProviderSettings, env: Environment): Promise<Readiness> {
  const provider = canonicalName(name);
  if (provider === "copilot") return { provider, ...(await copilot()) };
  const keys = KEYS[provider];
  if (!keys) return { provider, ready: false, message: "Segno has no such provider" };
  if (settings.api_key || settings.auth_token || settings.bearer_token)
    return { provider, ready: true, message: "the file gives it a key" };
  const found = keys.find((key) => env[key]);
  if (found) return { provider, ready: true, message: `${found} is set` };
  if (settings.base_url) return { provider, ready: true, message: `no key; ${settings.base_url} may not need one` };
  return { provider, ready: false, message: `no key: ${keys.join(" or ")} is not set` };
}

async function copilot(): Promise<Omit<Readiness, "provider">> {
  try {
    await loadPackage(COPILOT);
    return { ready: true, message: `${COPILOT} is installed` };
  } catch (error) {
    const isMissing = (error as { code?: string }).code === "ERR_MODULE_NOT_FOUND";
    return {
      ready: false,
      message: isMissing ? `${COPILOT} is not installed` : `${COPILOT} cannot be loaded: ${(error as Error).message}`,
    };
  }
}
