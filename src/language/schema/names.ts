// Words of the language that are needed without its schemas, which take a while to load.
import { isMapping, type JsonSchema } from "../../base/errors/mapping.ts";

/** How the finding about a type begins that neither Segno nor a plugin has. */
export const NO_STEP_TYPE = "There is no step type";

/** The lists of a file; it has `agents` or `steps`. */
export const NODE_LISTS = ["agents", "steps", "parallel", "for_each"] as const;

/** The keys of a file. */
export const TOP_KEYS = ["workflow", "tools", ...NODE_LISTS, "output"] as const;

/** `agents`: the file means what it means in Conductor. `steps`: any other file. */
export type FileDialect = "agents" | "steps";

/** What editors and the reference say of the two lists. */
export const ABOUT_LISTS: Readonly<Record<FileDialect, string>> = {
  steps:
    "The steps, by Segno's rules: a script that fails, and an output that does not fit, are errors. A file has `steps` or `agents`, not both.",
  agents:
    "The steps, by Conductor's rules: a script that fails, and an output that does not fit, are errors only where the step opts in to errors. For files that were written for Conductor; `segno convert` makes `steps` of it.",
};

/** What a file calls its list of steps; `steps` when it has none. */
export const stepsKeyOf = (file: unknown): FileDialect =>
  isMapping(file) && file.agents !== undefined ? "agents" : "steps";

/** Whether a key is one of the two that the list of steps may have. */
export const isStepsKey = (key: unknown): key is FileDialect => key === "agents" || key === "steps";

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
