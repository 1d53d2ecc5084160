// Whether a provider could be asked at all: its key, its package. Nothing is called to find out.

import { knownAgent } from "../features/coding-agents/acp/known-agents.ts";
import { findProgram } from "../features/coding-agents/acp/launch.ts";
import type { Machine } from "../features/coding-agents/agent.ts";
import {
  hasProgram,
  installLine,
  PEERS,
  type Peer,
  peerFolder,
  withoutProgram,
} from "../features/coding-agents/packages.ts";
import type { ProviderSettings } from "./provider.ts";
import { canonicalName } from "./registry.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface Readiness {
  readonly provider: string;
  readonly ready: boolean;
  readonly message: string;
}

type State = Omit<Readiness, "provider">;

const KEYS: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
  openai: ["OPENAI_API_KEY", "AZURE_OPENAI_API_KEY"],
  "claude-agent-sdk": [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
  ],
  codex: ["OPENAI_API_KEY"],
  copilot: ["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"],
};

export const CHECKED_PROVIDERS: readonly string[] = Object.keys(KEYS);

interface Place {
  readonly env: Environment;
  readonly project: string;
  readonly machine: Machine;
}

export function readinessOf(name: string, settings: ProviderSettings, place: Place): Readiness {
  const provider = canonicalName(name);
  if (provider === "acp") return { provider, ...acpInstallation(settings, place) };
  const key = keyOf(provider, settings, place.env);
  if (!key) return { provider, ready: false, message: "Segno has no such provider" };
  const peer = Object.hasOwn(PEERS, provider) ? PEERS[provider as keyof typeof PEERS] : undefined;
  if (!peer) return { provider, ...key };
  const installed = installationOf(peer, settings, place);
  return { provider, ready: installed.ready && key.ready, message: `${installed.message}; ${key.message}` };
}

/** Its key is looked for when it runs: whose that is may be said by the model's name. */
function acpInstallation({ agent, command }: ProviderSettings, place: Place): State {
  const known = knownAgent(agent);
  const program = command ?? known?.program;
  if (program === undefined) return { ready: false, message: "it does not say which agent: give it agent or command" };
  if (findProgram(program, place) !== undefined) return { ready: true, message: `${program} is installed` };
  return { ready: false, message: `${program} is not installed${known && !command ? ` (${known.install})` : ""}` };
}

function installationOf(
  peer: Peer,
  { runtime_url: isElsewhere }: ProviderSettings,
  { env, project, machine }: Place,
): State {
  if (peerFolder(peer, project) === undefined)
    return { ready: false, message: `${peer.package} is not installed (${installLine(peer)})` };
  const isNamed = peer.programVariable !== undefined && Boolean(env[peer.programVariable]);
  if (!isElsewhere && !isNamed && !hasProgram(peer, project, machine))
    return { ready: false, message: withoutProgram(peer, machine) };
  return { ready: true, message: `${peer.package} is installed` };
}

function keyOf(provider: string, settings: ProviderSettings, env: Environment): State | undefined {
  const keys = Object.hasOwn(KEYS, provider) ? KEYS[provider] : undefined;
  if (!keys) return undefined;
  if (settings.api_key || settings.auth_token || settings.bearer_token)
    return { ready: true, message: "the file gives it a key" };
  const found = keys.find((key) => env[key]);
  if (found) return { ready: true, message: `${found} is set` };
  if (settings.base_url) return { ready: true, message: `no key; ${settings.base_url} may not need one` };
  return { ready: false, message: `no key: ${keys.join(" or ")} is not set` };
}
