// Secrets that stand in a file's settings: keys of providers, addresses, headers and environment of MCP servers. They are known
// before anybody is called, so that nothing that comes back can carry them out.
import { describedServers } from "../../language/described-servers.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { secretsFromAddress, secretsFromEnvironment, secretsFromHeaders } from "../../redact/index.ts";

const KEYS = ["api_key", "auth_token", "bearer_token", "runtime_token"] as const;

type Settings = Readonly<Record<string, unknown>>;

export function* providerSecrets(workflow: LoadedWorkflow, seen = new Set<LoadedWorkflow>()): Iterable<string> {
  if (seen.has(workflow)) return;
  seen.add(workflow);
  const { agents, for_each, workflow: section } = workflow.definition;
  yield* ofProvider(section.runtime.provider);
  for (const step of [...agents, ...for_each.map((group) => group.agent)])
    if (step.type === "agent" && step.provider) yield* ofProvider(step.provider);
  for (const [, { headers, env, url }] of describedServers(workflow)) {
    if (url !== undefined) yield* secretsFromAddress(url);
    yield* secretsFromHeaders(headers);
    yield* secretsFromEnvironment(env);
  }
  for (const child of workflow.children.values()) yield* providerSecrets(child, seen);
}

function* ofProvider(settings: Settings): Iterable<string> {
  for (const key of KEYS) {
    const value = settings[key];
    if (typeof value === "string" && value !== "") yield value;
  }
  if (typeof settings.base_url === "string") yield* secretsFromAddress(settings.base_url);
  if (typeof settings.headers === "object" && settings.headers !== null)
    yield* secretsFromHeaders(settings.headers as Readonly<Record<string, string>>);
}
