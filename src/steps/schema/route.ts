// One entry of `routes:` or `error_routes:`. Lenient on purpose: which actions go together, and what a kind may look
// like, is judged by rules, which can say more about it than a shape can.
import * as z from "zod";
import { seconds } from "./duration.ts";
import { JUDGEMENTS, READINGS } from "./readings.ts";

const retryAction = z
  .union([
    z.int().min(1),
    z
      .strictObject({
        max: z
          .int()
          .min(1)
          .optional()
          .meta({
            description: "How often to try again on this visit. With `until`: as often as needed when left out.",
            examples: [3],
          }),
        until: z.literal("reset").optional().meta({
          description:
            "`reset`: wait until the limit that refused the call is reset, and not for a growing time. Where no reset is known, the next route is read.",
          expects: "`reset`",
        }),
        max_wait: seconds()
          .optional()
          .meta({
            description: "With `until`: where the reset is later than this, the next route is read.",
            default: "8h",
            examples: ["8h"],
          }),
        backoff: z
          .enum(["exponential", "linear", "fixed", "none"])
          .default("exponential")
          .describe(
            "How waits grow: d, 2d, 4d … (exponential), d, 2d, 3d … (linear), or d each time (fixed; `none` is a synonym).",
          ),
        initial_seconds: z.number().min(0).default(1).describe("The first wait, in seconds."),
        max_seconds: z.number().min(0).default(60).describe("The longest wait, in seconds."),
        jitter: z
          .number()
          .min(0)
          .max(1)
          .default(0)
          .describe(
            "A fraction j: each wait is multiplied by 1 + U(0, j), so that many runs do not come back at once.",
          ),
      })
      .refine(JUDGEMENTS["a number of retries"], {
        message: "`retry` needs `max`, how often to try again, or `until: reset`, to wait for a limit of a provider.",
      })
      .meta({ judged: "a number of retries" }),
  ])
  .transform(READINGS.retry)
  .meta({
    description:
      "Run this step again. `retry: 3` is short for `{max: 3}`. With `to`: go to that step instead, at most `max` times.",
    expects: "a number of retries from 1, or a mapping with `max` or `until: reset`",
    examples: [3, { max: 5, backoff: "exponential", initial_seconds: 2 }, { until: "reset", max_wait: "8h" }],
  });

const halt = z
  .union([
    z.string(),
    z.strictObject({
      message: z
        .string()
        .meta({ scalars: true, description: "Why the run ends. A template; `error` and `output` are in scope." }),
    }),
  ])
  .transform(READINGS.halt)
  .meta({
    description: "End the whole run here, at any depth, with `halt.intentional`.",
    expects: "a mapping with `message`",
    examples: [{ message: "stopped: {{ error.message }}" }],
  });

export const route = z
  .strictObject({
    on_error: z
      .union([z.boolean(), z.string(), z.array(z.string())])
      .optional()
      .meta({
        description: "Makes this an error route: a kind, `prefix.*`, a list of these, or `true` for every error.",
        expects: "a kind, a prefix such as `external.git.*`, a list of these, or true",
        examples: ["external.git.drift", ["http.unavailable", "http.network"], true],
      }),
    when: z
      .string()
      .optional()
      .meta({
        scalars: true,
        description: "The condition: a template, or an expression. Without it the route always matches.",
        examples: ["score > 5 and valid", "{{ output.approved }}"],
      }),
    to: z
      .string()
      .optional()
      .meta({
        description: "The step or group to go to, or `$end`.",
        examples: ["publish", "$end"],
      }),
    retry: retryAction.optional(),
    halt: halt.optional(),
    propagate: z
      .boolean()
      .optional()
      .describe("Raise the error to the step of the parent workflow that called this file."),
    output: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("On a route to `$end`: laid over the workflow's output. Values are templates."),
  })
  .meta({ id: "Route", expects: "a mapping such as `{to: publish}`" });

export type Route = z.output<typeof route>;
export type RetryAction = z.output<typeof retryAction>;
