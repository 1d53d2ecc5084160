// Names of the things that steps call: one circuit breaker for each.

/** Two names of one provider are one provider. */
const SYNONYMS: Readonly<Record<string, string>> = { claude: "anthropic" };

export const modelTarget = (provider: string, model: string): string =>
  `model:${Object.hasOwn(SYNONYMS, provider) ? SYNONYMS[provider] : provider}/${model}`;

/** Host and port: two servers on one machine fail each for itself. */
export function httpTarget(url: string): string | undefined {
  try {
    return `http:${new URL(url).host}`;
  } catch {
    return undefined;
  }
}

export const mcpTarget = (server: string): string => `mcp:${server}`;
