// `limits:` of `runtime` and of a project: limits of one's own on calls to models, shared by all runs of a store.
import * as z from "zod";
import { listOf } from "../../steps/schema/fields.ts";
import { once } from "../../steps/schema/once.ts";

const NUMBERS = ["requests_per_minute", "input_tokens_per_minute", "concurrent"] as const;

const number = (description: string) => z.int().min(1).optional().describe(description);

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
