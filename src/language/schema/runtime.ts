// `workflow.runtime:` — which provider, with which settings. Unknown keys are warnings here, as Conductor ignores them.
import * as z from "zod";
import { listOf, seconds } from "../../steps/schema/fields.ts";
import { effort, mcpServers, provider } from "../../steps/schema/provider.ts";
import { once } from "../../steps/schema/readings.ts";
import { PRIORITIES } from "./names.ts";

const foreign = (description: string, unsupported: string) => z.unknown().optional().meta({ description, unsupported });

const NO_WATCHDOG =
  "Segno ends a call in which nothing was heard for `timeout` seconds, and tries it again as `retry` says";

const noPlugins = "Segno does not load Conductor's plugins; skills and MCP servers do most of what they do";

export const runtime = once(() =>
  z.looseObject({
    provider: provider().prefault("copilot"),
    default_model: z
      .string()
      .optional()
      .meta({ description: "The model of agents that name none.", examples: ["claude-sonnet-4.5"] }),
    temperature: z.number().min(0).max(2).optional().describe("How much answers vary."),
    max_tokens: z.int().min(1).max(200_000).optional().describe("The most tokens in an answer."),
    timeout: seconds().optional().meta({ description: "Seconds that one call to a provider may take.", default: 600 }),
    max_session_seconds: seconds().optional().describe("The longest that one session with a provider may last."),
    max_agent_iterations: z.int().min(1).max(500).optional().describe("The most tool round trips in one answer."),
    default_reasoning_effort: effort.optional().describe("How hard agents think when they do not say."),
    mcp_servers: mcpServers()
      .default({})
      .meta({
        description: "MCP servers by name: agents use their tools, and `mcp` steps call them.",
        examples: [{ search: { command: "npx", args: ["-y", "open-websearch"] } }],
      }),
    checkpoint: z
      .looseObject({
        every_agent: z.boolean().default(false).describe("Segno records every step anyway."),
        every_seconds: z.number().min(1).optional().describe("Segno records every step anyway."),
        keep_last: z.int().min(1).max(100).default(5).describe("How many checkpoints Conductor keeps."),
      })
      .optional()
      .describe("Conductor's checkpoints. Segno records every step as it happens, so nothing depends on them."),
    tool_output: z
      .looseObject({
        enabled: z.boolean().default(true).describe("Whether long tool results are cut."),
        max_chars: z.int().min(1000).default(50_000).describe("How many characters a model sees of one."),
        spill_to_file: z.boolean().default(true).describe("Whether the whole result is kept in a file."),
        spill_dir: z.string().nullish().describe("Where; the run's folder when left out."),
      })
      .prefault({})
      .describe("What happens to tool results that are too long for a model."),
    working_dir: z
      .string()
      .optional()
      .describe(
        "The folder that agents work in, relative to this file; MCP servers too, except those of coding agents. A template.",
      ),
    skills: listOf(z.string()).describe("Skills for all agents: names or folders."),
    skill_injection: z
      .looseObject({
        warn_bytes: z
          .int()
          .min(1)
          .nullable()
          .default(65_536)
          .describe("Warn when skills take more than this; null never warns."),
        max_bytes: z
          .int()
          .min(1)
          .nullable()
          .default(163_840)
          .describe("Refuse when skills take more than this; null never refuses."),
      })
      .optional()
      .describe("How much of a prompt skills may take."),
    skill_discovery: foreign(
      "Where Conductor looks for skills.",
      "Segno takes the skills that the file names, and looks for no others",
    ),
    script_grace_seconds: z
      .number()
      .min(0)
      .max(300)
      .optional()
      .meta({
        description:
          "How long the output of a script that has exited is read on while background processes have it open and print nothing. 0 reads what is there.",
        default: 10,
      }),
    durability: z
      .enum(["process", "power"])
      .default("process")
      .describe("What a recorded step survives: a crash of the process, or a loss of power (slower)."),
    limits: callLimits().describe(
      "Limits of your own on calls to models, shared by all runs of the store or the fleet: calls wait for their turn.",
    ),
    priority: z
      .enum(PRIORITIES)
      .optional()
      .meta({ description: "With many workers: which of the runs that wait is taken first.", default: "normal" }),
    cell: z
      .string()
      .optional()
      .describe(
        "On a fleet that is made of cells: the one that has the run, for data that must stay somewhere. A template of the inputs; left out, the run's id decides.",
      ),
    affinity: z
      .enum(["worker", "any"])
      .optional()
      .describe(
        "With many workers: whether a `for_each` with `spread` stays with the worker of its run (`worker`) or is spread (`any`). Left out, it stays when the file has script steps: they may share files.",
      ),
    idle_timeout_seconds: foreign("How long Copilot may be silent.", NO_WATCHDOG),
    max_idle_recovery_attempts: foreign("How often a silent Copilot is asked to go on.", NO_WATCHDOG),
    default_context_tier: foreign(
      "The size of models' context windows.",
      "Segno's providers have one context window per model",
    ),
    plugin_sources: foreign("Where plugins come from.", noPlugins),
    plugins: foreign("Plugins for all agents.", noPlugins),
  }),
);

export type Runtime = z.output<ReturnType<typeof runtime>>;

const NUMBERS = ["requests_per_minute", "input_tokens_per_minute", "concurrent"] as const;

const number = (description: string) => z.int().min(1).optional().describe(description);

/** `limits:` of `runtime` and of a project: limits of one's own on calls to models, shared by all runs of a store. */
export const callLimits = once(() =>
  listOf(
    z
      .strictObject({
        provider: z
          .string()
          .min(1)
          .meta({ description: "Whose models.", examples: ["anthropic"] }),
        model: z
          .string()
          .min(1)
          .default("*")
          .meta({ description: "Which models: a name, or a pattern with `*`.", examples: ["claude-*"] }),
        requests_per_minute: number("Calls that may begin in a minute."),
        input_tokens_per_minute: number("Input tokens that may be used in a minute, counted when a call has ended."),
        concurrent: number("Calls at a time. A coding agent's session is one call."),
      })
      .refine((limit) => NUMBERS.some((name) => limit[name] !== undefined), {
        message:
          "this limit says no number, so it limits nothing. Add `requests_per_minute`, `input_tokens_per_minute` or `concurrent`.",
      })
      .meta({
        expects:
          "a mapping with `provider` and a number of `requests_per_minute`, `input_tokens_per_minute` or `concurrent`",
        examples: [{ provider: "anthropic", model: "claude-*", requests_per_minute: 50, concurrent: 4 }],
      }),
  ),
);
