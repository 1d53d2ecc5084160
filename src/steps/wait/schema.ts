// `type: wait` — lets time pass, and survives a restart while it does.
import * as z from "zod";
import { routed } from "../schema/fields.ts";
import { described, JUDGEMENTS, once } from "../schema/readings.ts";

export const waitStep = once(() =>
  z
    .strictObject({
      type: described(z.literal("wait"), "Waits."),
      ...routed,
      duration: described(
        z.union([z.number(), z.string()]).refine(JUDGEMENTS["a wait"], { params: { expects: true } }),
        "How long: a number of seconds, `500ms`, `5s`, `2m`, `1h`, or a template; at most 24 hours.",
        {
          expects: "a duration above 0 and up to 24h: a number of seconds, 500ms, 5s, 2m, 1h, or a template",
          examples: ["30s", 5],
          judged: "a wait",
        },
      ),
      reason: described(z.string().optional(), "What is waited for, for people. A template."),
    })
    .meta({ id: "WaitStep" }),
);

export type WaitStep = z.output<ReturnType<typeof waitStep>>;
