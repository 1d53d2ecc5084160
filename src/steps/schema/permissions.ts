// What an agent that works in a folder may do. The same keys on a provider, for all of its agents, and on a step.
import * as z from "zod";

export const sandboxName = z.enum(["read-only", "workspace", "full"]);

export const permissions = {
  allow: z
    .array(z.string())
    .optional()
    .meta({
      description:
        "For agents that work in a folder: what they may do beyond their sandbox, in the agent's own words. Commands need a sandbox of the operating system around them, or `sandbox: full`.",
      examples: [["Bash(npm test:*)"]],
    }),
  ask: z
    .enum(["deny", "gate"])
    .optional()
    .describe(
      "For agents that work in a folder: what happens to a request that the sandbox does not allow. `deny` (the default) refuses it; `gate` asks a person.",
    ),
  network: z
    .boolean()
    .optional()
    .describe("For agents that work in a folder: whether their commands may use the network. They may not by default."),
  settings: z
    .enum(["none", "project", "user"])
    .optional()
    .describe(
      "For agents that work in a folder: whose hooks, MCP servers and instructions they read. `none` by default; `project` the folder's; `user` also the user's.",
    ),
} as const;

export const SANDBOX_MEANS =
  "For agents that work in a folder (claude-agent-sdk, codex, copilot, acp). `read-only`: they change nothing. `workspace`, the default: they change files below their working directory, and commands run only inside a sandbox of the operating system. `full`: no limits.";
