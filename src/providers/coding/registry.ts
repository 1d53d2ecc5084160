// The coding agents that Segno drives, each loaded when it is first asked.
import type { CodingAgent } from "./agent.ts";

const AGENTS: Readonly<Record<string, () => Promise<CodingAgent>>> = {
  acp: async () => (await import("./acp/index.ts")).acp,
  "claude-agent-sdk": async () => (await import("./claude/index.ts")).claude,
  codex: async () => (await import("./codex/index.ts")).codex,
  copilot: async () => (await import("./copilot/index.ts")).copilot,
};

export const CODING_AGENTS: readonly string[] = Object.keys(AGENTS);

export const isCodingAgent = (name: string): boolean => Object.hasOwn(AGENTS, name);

/** The agent of that name; undefined when it is none. */
export async function findCodingAgent(name: string): Promise<CodingAgent | undefined> {
  return isCodingAgent(name) ? await AGENTS[name]?.() : undefined;
}
