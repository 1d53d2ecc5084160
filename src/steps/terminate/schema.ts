// `type: terminate` — ends its workflow at once.
import * as z from "zod";
import { named, routed, values } from "../schema/fields.ts";
import { once } from "../schema/readings.ts";

export const terminateStep = once(() =>
  z
    .strictObject({
      type: z.literal("terminate").describe("Ends its workflow at once; nothing after it is evaluated."),
      ...named,
      input: routed.input,
      phase: routed.phase,
      status: z.enum(["success", "failed"]).describe("How it ends: `success` is exit code 0, `failed` is 1."),
      reason: z
        .string()
        .regex(/\S/)
        .meta({
          scalars: true,
          description: "Why, for people. A template.",
          expects: "a sentence that says why the workflow ends",
          examples: ["nothing to release"],
        }),
      output_template: values()
        .optional()
        .meta({
          description: "The workflow's output on this path, instead of `output:`. Values are templates.",
          examples: [{ released: "false" }],
        }),
    })
    .meta({ id: "TerminateStep" }),
);

export type TerminateStep = z.output<ReturnType<typeof terminateStep>>;
