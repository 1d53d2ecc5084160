// `type: terminate` — ends its workflow at once.
import * as z from "zod";
import { named, routed, values } from "../schema/fields.ts";
import { described, once } from "../schema/readings.ts";

export const terminateStep = once(() =>
  z
    .strictObject({
      type: described(z.literal("terminate"), "Ends its workflow at once; nothing after it is evaluated."),
      ...named,
      input: routed.input,
      phase: routed.phase,
      status: described(z.enum(["success", "failed"]), "How it ends: `success` is exit code 0, `failed` is 1."),
      reason: described(z.string().regex(/\S/), "Why, for people. A template.", {
        scalars: true,
        expects: "a sentence that says why the workflow ends",
        examples: ["nothing to release"],
      }),
      output_template: described(
        values().optional(),
        "The workflow's output on this path, instead of `output:`. Values are templates.",
        { examples: [{ released: "false" }] },
      ),
    })
    .meta({ id: "TerminateStep" }),
);

export type TerminateStep = z.output<ReturnType<typeof terminateStep>>;
