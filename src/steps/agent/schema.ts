// `type: agent` — asks a model. The default type.
import * as z from "zod";
import { cache, listOf, output, routed, seconds } from "../schema/fields.ts";
import { effort, mcpServers, permissions, provider, SANDBOX_MEANS, sandboxName } from "../schema/provider.ts";
import { once } from "../schema/readings.ts";

export const agentStep = once(() =>
  z
    .strictObject({
      type: z.literal("agent").default("agent").describe("Asks a model. This is the type when none is written."),
      ...routed,
      prompt: z
        .string()
        .default("")
        .meta({
          scalars: true,
          description: "What the model is asked. A template.",
          examples: ["Review {{ build.output.stdout }}"],
        }),
      system_prompt: z.string().optional().describe("Who the model is to be. A template."),
      model: z
        .union([z.string(), z.array(z.string()).min(1)])
        .optional()
        .meta({
          description:
            "The model, or a list: the next one is tried when a provider is exhausted or its breaker is open. May be a template.",
          expects: "a model's name, or a list of names",
          examples: ["claude-sonnet-4.5", ["claude-sonnet-4.5", "gpt-5"]],
        }),
      provider: provider().optional(),
      tools: z
        .array(z.string())
        .optional()
        .describe("Which of the file's `tools` the agent may use. Left out: all of them. An empty list: none."),
      mcp_servers: mcpServers()
        .optional()
        .meta({
          description: "MCP servers of this agent, besides those of the file; one of the same name takes its place.",
          examples: [{ search: { command: "npx", args: ["-y", "open-websearch"] } }],
        }),
      output,
      output_mode: z
        .enum(["raw", "envelope"])
        .optional()
        .describe("`raw` keeps the model's text as it is, without looking for JSON; not together with `output`."),
      retry: z
        .strictObject({
          max_attempts: z
            .int()
            .min(1)
            .max(10)
            .optional()
            .describe("Calls in all, the first included; four when it is left out, as without `retry`."),
          backoff: z.enum(["exponential", "fixed"]).default("exponential").describe("How waits between calls grow."),
          delay_seconds: z.number().min(0).max(300).default(2).describe("The first wait."),
          retry_on: z
            .array(z.enum(["provider_error", "timeout"]))
            .default(["provider_error", "timeout"])
            .describe("Which failures of a call are tried again."),
          max_parse_recovery_attempts: z
            .int()
            .min(0)
            .max(10)
            .nullish()
            .describe("How often to ask again for an answer that fits `output`."),
        })
        .optional()
        .describe(
          "Transport retries of the provider's calls for this agent. For retries of the whole step, use a route with `retry`.",
        ),
      reasoning: z
        .strictObject({
          effort: z
            .union([effort, z.string().regex(/\{\{/)])
            .optional()
            .meta({
              description: "How hard to think, or a template.",
              expects: "low, medium, high, xhigh, max, or a template",
            }),
        })
        .optional()
        .describe("How the model reasons."),
      validator: z
        .strictObject({
          criteria: z.string().min(1).describe("What a good answer must satisfy. A template."),
          model: z.string().optional().describe("The model that judges; the agent's own by default."),
          max_retries: z
            .int()
            .min(0)
            .max(1)
            .default(1)
            .describe("How often the agent may answer again after a failed check."),
        })
        .optional()
        .describe("A second model call that checks the answer."),
      dialog: z
        .strictObject({ trigger_prompt: z.string().min(1).describe("When to turn to the user.") })
        .optional()
        .describe("Lets the agent talk with the user before its answer counts."),
      working_dir: z
        .string()
        .optional()
        .describe(
          "The folder that the agent works in, relative to this file; MCP servers too, except those of coding agents. A template.",
        ),
      skills: z
        .array(z.string())
        .optional()
        .describe("Skills for this agent: names or folders, instead of the runtime's. An empty list: none."),
      timeout_seconds: seconds()
        .optional()
        .describe("Seconds after which the agent is stopped and raises `internal.timeout`."),
      timeout: seconds().optional().describe("A synonym of `timeout_seconds`."),
      max_session_seconds: seconds().optional().describe("The longest that one session with the provider may last."),
      max_agent_iterations: z.int().min(1).max(500).optional().describe("The most tool round trips in one answer."),
      cache,
      session_key: z
        .string()
        .optional()
        .describe(
          "Agents with the same key go on with one conversation, as long as the run is driven; that of coding agents goes on after a resume.",
        ),
      context_tier: z.string().optional().meta({
        description: "The size of the model's context window.",
        unsupported: "Segno's providers have one context window per model",
      }),
      sandbox: z
        .union([sandboxName, z.record(z.string(), z.unknown())])
        .optional()
        .meta({
          description: `${SANDBOX_MEANS} The provider's when left out.`,
          expects: "read-only, workspace or full",
          unsupportedMapping: "as a mapping it belongs to the aca provider, which Segno does not have",
        }),
      ...permissions,
      on_denied: z
        .enum(["warn", "raise"])
        .optional()
        .describe(
          "For agents that work in a folder: what happens when one was denied something it asked for. `warn` (the default) is a warning of the run, and `<step>.denied` lists it; `raise` makes the step raise `provider.denied`.",
        ),
      plugins: listOf(z.unknown()).meta({
        description: "Plugins for this agent.",
        unsupported: "Segno does not load Conductor's plugins; skills and MCP servers do most of what they do",
      }),
    })
    .meta({ id: "AgentStep" }),
);

export type AgentStep = z.output<ReturnType<typeof agentStep>>;
