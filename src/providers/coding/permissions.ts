// What an agent may do: `sandbox`, `allow`, `ask`, `network` and `settings` of a provider or of a step.

import { cp } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { ProviderFailure } from "../failure.ts";

export const SANDBOXES = ["read-only", "workspace", "full"] as const;
export type SandboxName = (typeof SANDBOXES)[number];

export interface Permissions {
  readonly sandbox: SandboxName;
  /** What is allowed beyond the sandbox's own, in the agent's words: `Bash(npm test:*)`. */
  readonly allow: readonly string[];
  /** What happens to other requests: they are denied, or a person is asked. */
  readonly ask: "deny" | "gate";
  /** Whether commands may use the network. */
  readonly network: boolean;
  /** Whose hooks, MCP servers and instructions the agent reads. */
  readonly settings: "none" | "project" | "user";
}

export function permissionsOf(settings: Readonly<Record<string, unknown>>): Permissions {
  const { sandbox, allow, ask, network, settings: read } = settings;
  return {
    sandbox: SANDBOXES.find((one) => one === sandbox) ?? "workspace",
    allow: Array.isArray(allow) ? allow.filter((one) => typeof one === "string") : [],
    ask: ask === "gate" ? "gate" : "deny",
    network: network === true,
    settings: read === "project" || read === "user" ? read : "none",
  };
}

/** `Bash`, `Bash(npm test:*)`, `shell(git status)`: a rule that lets commands run. */
export const isCommandRule = (rule: string): boolean => /^(?:bash|shell)\b/i.test(rule.trim());

/**
 * Without something around them, commands are not confined at all: an agent that may edit package.json and run `npm test`
 * may do anything. So they are refused, with an error before anything runs.
 */
export function refuseUnconfined({ sandbox, allow }: Permissions, isConfined: boolean, remedy: string): void {
  const rule = allow.find(isCommandRule);
  if (sandbox === "full" || isConfined || rule === undefined) return;
  throw new ProviderFailure(
    "unready",
    `allow has ${JSON.stringify(rule)}, but under sandbox: ${sandbox} commands run only inside a sandbox of the operating system, and there is none here. ${remedy}, take the rule out, or choose sandbox: full if nothing needs to be kept from this agent`,
  );
}

// `settings: user`: an agent has a folder of its own in the run's, so what its user wrote for it is brought there, by name.
// Logins and histories stay where they are.

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the agent's program keeps its user's settings. */
export const ofUser = (env: Environment, variable: string, name: string): string =>
  env[variable] || join(env.HOME || homedir(), name);

/** What is not there is not brought. */
export async function bringSettings(from: string, names: readonly string[], to: string): Promise<void> {
  for (const name of names)
    await cp(join(from, name), join(to, name), { recursive: true, dereference: true }).catch((problem: unknown) => {
      if ((problem as NodeJS.ErrnoException).code !== "ENOENT") throw problem;
    });
}
