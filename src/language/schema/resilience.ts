// `workflow.resilience:` and `workflow.policies:` — what happens to errors that no route took, and what may run at all.
import * as z from "zod";
import {
  BACKOFF_MEANS,
  BACKOFFS,
  environment,
  JITTER_MEANS,
  jitter,
  listOf,
  seconds,
  text,
} from "../../steps/schema/fields.ts";
import { JUDGEMENTS, once } from "../../steps/schema/readings.ts";

const kinds = z.array(z.string());

const retry = once(() =>
  z
    .strictObject({
      max: z.int().min(0).optional().meta({ description: "Retries after the first attempt.", default: 3 }),
      initial_seconds: z.number().min(0).optional().meta({ description: "The first wait, in seconds.", default: 1 }),
      max_seconds: z
        .number()
        .min(0)
        .optional()
        .meta({ description: "The longest wait, in seconds, jitter included.", default: 60 }),
      backoff: z.enum(BACKOFFS).optional().meta({ description: BACKOFF_MEANS, default: "exponential" }),
      jitter: jitter().default(0.1).describe(JITTER_MEANS),
      on: kinds
        .optional()
        .meta({
          description: "Which kinds are tried again; every kind that the registry calls retryable when left out.",
          examples: [["http.unavailable", "transient.*"]],
        }),
      wait_for_reset: seconds()
        .optional()
        .meta({
          description:
            "Where a provider refused a call and says when its limit resets, no later than this: wait for it. Such waits do not count as retries.",
          examples: ["8h"],
        }),
      max_retries: z.int().min(0).optional().describe("The older name of `max`."),
      initial_delay: z.number().min(0).optional().describe("The older name of `initial_seconds`."),
      max_delay: z.number().min(0).optional().describe("The older name of `max_seconds`."),
      backoff_multiplier: z.number().min(1).default(2).describe("What each wait is multiplied by, without `backoff`."),
      retryable: kinds.optional().describe("The older name of `on`."),
    })
    // The names of the library's `RetryPolicy`.
    .transform(({ max, initial_seconds, max_seconds, backoff, on, ...rest }) => ({
      ...rest,
      max_retries: max ?? rest.max_retries ?? 3,
      initial_delay: initial_seconds ?? rest.initial_delay ?? 1,
      max_delay: max_seconds ?? rest.max_delay ?? 60,
      ...(backoff === undefined ? {} : { backoff: backoff === "none" ? ("fixed" as const) : backoff }),
      ...((on ?? rest.retryable) ? { retryable: on ?? rest.retryable } : {}),
    })),
);

const circuitBreaker = once(() =>
  z.strictObject({
    failure_threshold: z.int().min(1).default(5).describe("Failures in a row that open the breaker."),
    recovery_timeout: seconds().default(60).describe("Seconds until an open breaker lets a call through again."),
    success_threshold: z.int().min(1).default(2).describe("Successes that close it again."),
    half_open_max: z.int().min(1).default(1).describe("Calls let through at a time while it recovers."),
    scope: z
      .enum(["target", "provider", "step"])
      .default("target")
      .transform((scope) => (scope === "provider" ? "target" : scope))
      .meta({
        description: "One breaker for each thing that is called (`target`; `provider` is a synonym), or for each step.",
      }),
    counts: kinds.optional().describe("Which kinds count as failures; those of health when left out."),
    when_open: z
      .enum(["fail", "wait"])
      .optional()
      .meta({
        description:
          "What becomes of a call while the breaker is open: it fails with `circuit.open`, or waits until the breaker lets it through.",
        default: "fail",
      }),
    max_wait: seconds()
      .optional()
      .meta({
        description: "How long a call waits with `when_open: wait`; then it fails with `circuit.open`.",
        default: 3600,
      }),
  }),
);

const escalate = once(() =>
  z
    .strictObject({
      command: z
        .string()
        .optional()
        .meta({
          description: "The program to run; it reads the result object on its standard input.",
          examples: ["./notify.sh"],
        }),
      args: listOf(text()).describe("Its arguments."),
      env: environment().default({}).describe("Environment variables to add."),
      url: z.string().optional().describe("The address to post the result object to, instead of a command."),
      headers: environment().default({}).describe("Headers to send with it."),
    })
    .refine((value) => (value.command === undefined) !== (value.url === undefined), {
      message: "`escalate` needs either a `command` to run or a `url` to post to.",
    }),
);

export const resilience = once(() =>
  z.strictObject({
    retry: retry().optional().describe("Retries for errors that no route took."),
    circuit_breaker: circuitBreaker().optional().describe("Stops calling what keeps failing, for a while."),
    dead_letter: z
      .boolean()
      .default(false)
      .describe("Keep what failed for good as a dead letter, to be tried again later."),
    escalate: escalate().optional().describe("Whom to tell about an error that retrying cannot help."),
  }),
);

export type Resilience = z.output<ReturnType<typeof resilience>>;

/** `max_concurrent_tasks: 5`, `{max: 5}`, or nothing at all for the default. */
const setting = <K extends string>(
  key: K,
  initial: number,
  value: z.ZodType<number, unknown>,
  wanted: string,
  description: string,
) =>
  z
    .union([
      value,
      z.strictObject({ [key]: value.default(initial).describe(description) } as Record<
        K,
        z.ZodDefault<z.ZodType<number, unknown>>
      >),
      z.null(),
    ])
    .transform(
      (said) => (typeof said === "number" || said === null ? { [key]: said ?? initial } : said) as Record<K, number>,
    )
    .optional()
    .meta({ description, expects: `${wanted}, or a mapping with \`${key}\``, examples: [{ [key]: initial }] });

const POLICY_NAMES = [
  "max_concurrent_tasks",
  "task_timeout",
  "phase_gate",
  "agent_availability",
  "budget",
  "module",
  "policy",
];

export const policyEntry = once(() =>
  z
    .strictObject({
      max_concurrent_tasks: setting(
        "max",
        5,
        z.int().min(1),
        "a whole number, 1 or more",
        "How many steps may run at a time in this store.",
      ),
      task_timeout: setting(
        "max_seconds",
        3600,
        seconds(),
        "seconds or a duration such as 30m",
        "The longest timeout that a step may have.",
      ),
      phase_gate: setting(
        "min_success_rate",
        0.8,
        z.number().min(0).max(1),
        "a number from 0 to 1",
        "The share of a phase's steps that must have succeeded before it is left.",
      ),
      agent_availability: z
        .union([z.strictObject({}), z.literal(true), z.null()])
        .transform(() => ({}))
        .optional()
        .meta({
          description:
            "Denies an agent that is running in another run, or whose last execution failed while its breaker is not closed.",
          expects: "an empty mapping",
        }),
      budget: z
        .union([
          z.number().positive(),
          z.strictObject({ usd: z.number().positive().describe("The limit in US dollars.") }),
        ])
        .transform((said) => (typeof said === "number" ? { usd: said } : said))
        .optional()
        .meta({
          description: "Denies a step whose cost would exceed the limit.",
          expects: "a number above 0, or a mapping with `usd`",
          examples: [{ usd: 5 }],
        }),
      module: z
        .string()
        .optional()
        .meta({
          description: "Your own policy: a module below this file's folder whose default export is a policy.",
          examples: ["./policies/no-prod-on-friday.mjs"],
        }),
      policy: z
        .string()
        .optional()
        .meta({ description: "A policy that a plugin of the project brings, by its name.", examples: ["weekdays"] }),
    })
    .refine(JUDGEMENTS["one policy"], {
      message: `each entry of \`policies\` names exactly one policy: ${POLICY_NAMES.join(", ")}. Write several as several entries.`,
    })
    .meta({ expects: "a mapping with one policy", examples: [{ budget: { usd: 5 } }], judged: "one policy" }),
);

export type PolicyEntry = z.output<ReturnType<typeof policyEntry>>;
