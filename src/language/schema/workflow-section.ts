// `workflow:` — the name, the inputs, the limits, and what holds for the whole file.
import * as z from "zod";
import { placement } from "../../steps/schema/execution.ts";
import { environment, listOf, route, seconds, text } from "../../steps/schema/fields.ts";
import { FIELD_TYPES, once, takesAnyKey } from "../../steps/schema/readings.ts";
import { policyEntry, resilience } from "./resilience.ts";
import { runtime } from "./runtime.ts";

const inputField = once(() =>
  z
    .looseObject({
      type: z.enum(FIELD_TYPES).describe("The input's type."),
      required: z.boolean().default(true).describe("Whether it must be given."),
      default: z.unknown().optional().describe("Its value when none is given."),
      description: z.string().optional().describe("What it is, for people."),
      secret: z
        .boolean()
        .default(false)
        .describe("Whether its value is hidden everywhere: in results, events, logs and the dashboard."),
    })
    .meta({ expects: "a mapping with `type`", examples: [{ type: "string", description: "The branch to release" }] }),
);

const count = () =>
  z
    .union([z.int().min(1).max(100_000), z.literal("unlimited")])
    .optional()
    .meta({ expects: "a whole number from 1 to 100000, or `unlimited`" });

const limits = once(() =>
  takesAnyKey(
    z.strictObject({
      max_iterations: count()
        .meta({ default: "none; 10 in a file with `agents:`" })
        .describe(
          "The most step executions in a run, retries included; `unlimited` where nothing but the workflow itself, a timeout or a budget is to end it. A parallel group begins only when all its members fit; the items of a for_each are counted when it has ended. Where it is written, `max_visits` does not count.",
        ),
      max_visits: count()
        .meta({ default: "25; none in a file with `agents:`" })
        .describe(
          "How often one step may be visited in a run: how often a loop may go round. Retries, and items of groups, are no visits.",
        ),
      timeout_seconds: seconds()
        .optional()
        .describe("The longest that a run may take; the time in which a person is asked does not count."),
      budget_usd: z.number().positive().optional().describe("The most that a run may cost."),
      budget_mode: z
        .enum(["audit", "enforce"])
        .default("audit")
        .describe("Whether a run over its budget is only warned about, or stopped."),
    }),
  ),
);

const price = (description: string) => z.number().min(0).describe(description);

const cost = once(() =>
  takesAnyKey(
    z.strictObject({
      show_per_agent: z.boolean().default(true).describe("Whether to show what each agent cost."),
      show_summary: z.boolean().default(true).describe("Whether to show what the run cost."),
      pricing: z
        .record(
          z.string(),
          takesAnyKey(
            z.strictObject({
              input_per_mtok: price("US dollars for a million input tokens."),
              output_per_mtok: price("US dollars for a million output tokens."),
              cache_read_per_mtok: price("US dollars for a million tokens read from the cache.").default(0),
              cache_write_per_mtok: price("US dollars for a million tokens written to the cache.").default(0),
            }),
          ),
        )
        .default({})
        .describe("Prices by model, where yours differ."),
    }),
  ),
);

const hook = (when: string) =>
  z
    .union([
      z.string(),
      z.strictObject({
        command: z.string().min(1).describe("The program to run."),
        args: listOf(text()).describe("Its arguments. Templates."),
        env: environment().default({}).describe("Environment variables to add. Values are templates."),
      }),
    ])
    .optional()
    .meta({
      description: `${when} A template whose text is recorded, or a command to run. Not to be mixed up with \`on_error\` routes.`,
      expects: "text, or a mapping with `command`",
    });

const context = once(() =>
  takesAnyKey(
    z.strictObject({
      mode: z
        .enum(["accumulate", "last_only", "explicit"])
        .default("accumulate")
        .describe("What templates see: all steps so far, only the last one, or only what `input` names."),
      max_tokens: z.int().min(1).optional().describe("How large the context may grow."),
      trim_strategy: z
        .enum(["summarize", "truncate", "drop_oldest"])
        .optional()
        .describe("What to do when it is larger."),
    }),
  ),
);

const hooks = once(() =>
  takesAnyKey(
    z.strictObject({
      on_start: hook("When a run starts."),
      on_complete: hook("When a run ends well."),
      on_error: hook("When a run fails."),
    }),
  ),
);

/** The sections below `workflow:`. Each is read by itself, and only when the file has it. */
export const sections = { context, limits, cost, hooks, runtime, resilience } as const;

const fields = once(() => ({
  name: z
    .string()
    .min(1)
    .meta({ scalars: true, description: "The workflow's name.", examples: ["release"] }),
  description: z.string().optional().describe("What the workflow does, in a sentence for people."),
  version: z
    .string()
    .optional()
    .meta({ scalars: true, description: "The file's version.", examples: ["1.0.0"] }),
  entry_point: z.string().min(1).describe("The step or group to begin with."),
  input: z
    .record(z.string(), z.lazy(inputField))
    .optional()
    .meta({
      description: "The inputs, by name. A file without this takes any input.",
      examples: [{ branch: { type: "string" } }],
    }),
  run_name: z
    .string()
    .optional()
    .meta({
      description: "What a run is called in lists. A template of the inputs, one line of at most 200 characters.",
      examples: ["nightly {{ workflow.input.date }}"],
    }),
  metadata: z.record(z.string(), z.unknown()).default({}).describe("Anything you like; it is shown with the run."),
  instructions: listOf(z.string()).describe("Texts or files put before every agent's prompt."),
  error_routes: listOf(route).describe("Error routes for every step and group of this file, read after their own."),
  policies: listOf(z.lazy(policyEntry)).describe("What must hold before a step may run."),
  phases: listOf(z.string()).meta({
    description: "The phases, in order, for the `phase_gate` policy.",
    examples: [["build", "ship"]],
  }),
  mcp: z
    .strictObject({
      tool: z
        .boolean()
        .default(false)
        .describe("Whether `segno mcp --tools` offers the workflow as a tool of its own."),
      expose: z
        .boolean()
        .optional()
        .describe("Conductor's name for `tool`. `false`: it is never a tool, whatever `tool` says."),
      mode: z
        .enum(["async", "sync", "auto"])
        .default("async")
        .describe("`sync`: a call waits for the run's end, as long as the server allows."),
      read_only: z.boolean().optional().describe("A hint for the client: a run changes nothing (`readOnlyHint`)."),
      destructive: z
        .boolean()
        .optional()
        .describe("A hint for the client: a run may destroy something (`destructiveHint`)."),
      estimated_minutes: z
        .int()
        .min(1)
        .nullish()
        .describe("How long a run takes, for people. Segno does not look at it."),
    })
    .optional()
    .meta({ description: "What coding agents see of it.", examples: [{ tool: true }] }),
  ...placement,
}));

/** `workflow:` without its sections. */
export const sectionFrame = once(() => z.strictObject(fields()));

export const workflowSection = once(() =>
  z.strictObject({
    ...fields(),
    context: context().prefault({}).describe("What steps see of one another."),
    limits: limits().prefault({}).describe("Where a run is stopped."),
    cost: cost().prefault({}).describe("How costs are shown and computed."),
    hooks: hooks().prefault({}).describe("What to do when a run starts and ends."),
    runtime: runtime().prefault({}).describe("Providers, models, MCP servers and how runs are kept."),
    resilience: resilience()
      .optional()
      .describe("What happens to errors that no route took: retries, breakers, dead letters."),
  }),
);

export type WorkflowSection = z.output<ReturnType<typeof workflowSection>>;
export type InputField = z.output<ReturnType<typeof inputField>>;
export type WorkflowLimits = z.output<ReturnType<typeof limits>>;
