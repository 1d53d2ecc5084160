// Words of the language that are needed without its schemas, which take a while to load.
import { isMapping, type JsonSchema } from "../../base/errors/mapping.ts";

/** How the finding about a type begins that neither Segno nor a plugin has. */
export const NO_STEP_TYPE = "There is no step type";

/** The lists of a file; `agents` is Conductor's word for `steps`. */
export const NODE_LISTS = ["agents", "steps", "parallel", "for_each"] as const;

/** The keys of a file. */
export const TOP_KEYS = ["workflow", "tools", ...NODE_LISTS, "output"] as const;

export type StepsKey = "agents" | "steps";

/** What a file calls its list of steps; `steps` when it has none. */
export const stepsKeyOf = (file: unknown): StepsKey =>
  isMapping(file) && file.agents !== undefined ? "agents" : "steps";

/** Whether a key is one of the two that the list of steps may have. */
export const isStepsKey = (key: unknown): key is StepsKey => key === "agents" || key === "steps";

/** Conductor's providers that Segno reads but does not have. */
export const FOREIGN_PROVIDERS: readonly string[] = ["hermes", "aca"];
/** What `provider` may name. `scripted` is for scenario tests. */
export const PROVIDERS: readonly string[] = [
  "copilot",
  "openai",
  "anthropic",
  "claude",
  "claude-agent-sdk",
  "codex",
  "acp",
  "scripted",
];
/** Those that work in a folder: they read and edit files and run commands. */
export const CODING_PROVIDERS: readonly string[] = ["claude-agent-sdk", "codex", "copilot", "acp"];
/** Agents that `provider: acp` knows by name; those that say what they used can be held to a budget. */
export const ACP_AGENTS = {
  gemini: { tellsUsage: true },
  opencode: { tellsUsage: false },
  claude: { tellsUsage: true },
  goose: { tellsUsage: false },
} as const;

/** Whether a schema of an own type takes fields beside those that it names. */
export const takesAnyField = ({ additionalProperties: more }: JsonSchema): boolean =>
  more === true || (typeof more === "object" && more !== null && Object.keys(more).length === 0);

/** Which of the runs that wait for a worker of a fleet is taken first. */
export const PRIORITIES = ["high", "normal", "low"] as const;
export type Priority = (typeof PRIORITIES)[number];
