// `type: agent` — asks a model. The default type.
import * as z from "zod";
import { placed } from "../schema/execution.ts";
import {
  BACKOFF_MEANS,
  BACKOFFS,
  cache,
  checkedOutput,
  JITTER_MEANS,
  jitter,
  listOf,
  routed,
  seconds,
} from "../schema/fields.ts";
import { effort, mcpServers, permissions, provider, SANDBOX_MEANS, sandboxName } from "../schema/provider.ts";
import { described, once, takesAnyKey } from "../schema/readings.ts";

const CALL_FAILURES = ["provider_error", "timeout"] as const;

export const agentStep = once(() =>
  z
    .strictObject({
      type: described(z.literal("agent").default("agent"), "Asks a model. This is the type when none is written."),
      ...routed,
      prompt: described(z.string().default(""), "What the model is asked. A template.", {
        scalars: true,
        examples: ["Review {{ build.output.stdout }}"],
      }),
      system_prompt: described(z.string().optional(), "Who the model is to be. A template."),
      model: described(
        z.union([z.string(), z.array(z.string()).min(1)]).optional(),
        "The model, or a list: the next one is tried when a provider is exhausted or its breaker is open. May be a template.",
        {
          expects: "a model's name, or a list of names",
          examples: ["claude-sonnet-4.5", ["claude-sonnet-4.5", "gpt-5"]],
        },
      ),
      provider: provider().optional(),
      tools: described(
        z.array(z.string()).optional(),
        "Which of the file's `tools` the agent may use. Left out: all of them. An empty list: none.",
      ),
      mcp_servers: described(
        mcpServers().optional(),
        "MCP servers of this agent, besides those of the file; one of the same name takes its place.",
        { examples: [{ search: { command: "npx", args: ["-y", "open-websearch"] } }] },
      ),
      ...checkedOutput,
      output_mode: described(
        z.enum(["raw", "envelope"]).optional(),
        "`raw` keeps the model's text as it is, without looking for JSON; not together with `output`.",
      ),
      retry: described(
        takesAnyKey(
          z.strictObject({
            max: described(z.int().min(0).max(10).optional(), "Retries after the first call.", { default: 3 }),
            initial_seconds: described(z.number().min(0).max(300).optional(), "The first wait, in seconds.", {
              default: 2,
            }),
            max_seconds: described(z.number().min(0).optional(), "The longest wait, in seconds, jitter included.", {
              default: 30,
            }),
            backoff: described(z.enum(BACKOFFS).default("exponential"), BACKOFF_MEANS),
            jitter: described(jitter().optional(), JITTER_MEANS, { default: 0.25 }),
            on: described(z.array(z.enum(CALL_FAILURES)).optional(), "Which failures of a call are tried again.", {
              default: CALL_FAILURES,
            }),
            max_attempts: described(
              z.int().min(1).max(10).optional(),
              "The older name of `max`, which counts the first call too.",
            ),
            delay_seconds: described(z.number().min(0).max(300).default(2), "The older name of `initial_seconds`."),
            retry_on: described(
              z.array(z.enum(CALL_FAILURES)).default(["provider_error", "timeout"]),
              "The older name of `on`.",
            ),
            max_parse_recovery_attempts: described(
              z.int().min(0).max(10).nullish(),
              "How often to ask again for an answer that fits `output`.",
            ),
          }),
        ).optional(),
        "Transport retries of the provider's calls for this agent. For retries of the whole step, use a route with `retry`.",
      ),
      reasoning: described(
        takesAnyKey(
          z.strictObject({
            effort: described(
              z.union([effort, z.string().regex(/\{\{/)]).optional(),
              "How hard to think, or a template.",
              { expects: "low, medium, high, xhigh, max, or a template" },
            ),
          }),
        ).optional(),
        "How the model reasons.",
      ),
      validator: described(
        z
          .strictObject({
            criteria: described(z.string().min(1), "What a good answer must satisfy. A template."),
            model: described(z.string().optional(), "The model that judges; the agent's own by default."),
            max_retries: described(
              z.int().min(0).max(1).default(1),
              "How often the agent may answer again after a failed check.",
            ),
          })
          .optional(),
        "A second model call that checks the answer.",
      ),
      dialog: described(
        takesAnyKey(
          z.strictObject({
            trigger_prompt: described(z.string().min(1), "When to turn to the user."),
            conversation_prompt: described(
              z.string().nullish(),
              "How to talk with the user, said to the agent at every turn. It wins over the instructions that every dialog has.",
            ),
          }),
        ).optional(),
        "Lets the agent talk with the user before its answer counts.",
      ),
      working_dir: described(
        z.string().optional(),
        "The folder that the agent works in, relative to this file; MCP servers too, except those of coding agents. A template.",
      ),
      settings_dir: described(
        z.string().min(1).optional(),
        "For claude-agent-sdk: a folder, relative to this file, that the agent's own tools may also use, and whose `.claude/skills` it has where it reads the settings of projects. A template.",
      ),
      skills: described(
        z.array(z.string()).optional(),
        "Skills for this agent: names or folders, instead of the runtime's. An empty list: none.",
      ),
      timeout_seconds: described(
        seconds().optional(),
        "Seconds after which the agent is stopped and raises `internal.timeout`.",
      ),
      timeout: described(seconds().optional(), "A synonym of `timeout_seconds`."),
      max_session_seconds: described(seconds().optional(), "The longest that one session with the provider may last."),
      max_agent_iterations: described(z.int().min(1).max(500).optional(), "The most tool round trips in one answer."),
      cache,
      session_key: described(
        z.string().optional(),
        "Agents with the same key go on with one conversation, as long as the run is driven; that of coding agents goes on after a resume.",
      ),
      context_tier: described(z.string().optional(), "The size of the model's context window.", {
        unsupported: "Segno's providers have one context window per model",
      }),
      sandbox: described(
        z.union([sandboxName, z.record(z.string(), z.unknown())]).optional(),
        `${SANDBOX_MEANS} The provider's when left out.`,
        {
          expects: "read-only, workspace or full",
          unsupportedMapping: "as a mapping it belongs to the aca provider, which Segno does not have",
        },
      ),
      ...permissions,
      on_denied: described(
        z.enum(["warn", "raise"]).optional(),
        "For agents that work in a folder: what happens when one was denied something it asked for. `warn` (the default) is a warning of the run, and `<step>.denied` lists it; `raise` makes the step raise `provider.denied`.",
      ),
      ...placed,
      plugins: described(listOf(z.unknown()), "Plugins for this agent.", {
        unsupported: "Segno does not load Conductor's plugins; skills and MCP servers do most of what they do",
      }),
    })
    .meta({ id: "AgentStep" }),
);

export type AgentStep = z.output<ReturnType<typeof agentStep>>;
