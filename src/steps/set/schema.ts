// `type: set` — computes a value from templates.
import * as z from "zod";
import { cache, checkedOutput, routed, values } from "../schema/fields.ts";
import { atKey, described, missingKey, once } from "../schema/readings.ts";

export const setStep = once(() =>
  z
    .strictObject({
      type: described(z.literal("set"), "Computes a value, or several, from templates."),
      ...routed,
      value: described(z.unknown().optional(), "The value. A template; `{{ x }}` alone keeps the type of x.", {
        examples: ["{{ plan.output.steps | length }}"],
      }),
      values: described(values().optional(), "Several values by name; the output is a mapping of them.", {
        examples: [{ total: "{{ a.output + b.output }}" }],
      }),
      output_type: described(
        z.enum(["auto", "string", "number", "integer", "boolean", "list", "dict"]).optional(),
        "What `value` must come to; `auto` when left out. Only with `value`.",
      ),
      ...checkedOutput,
      cache,
    })
    .superRefine((step, context) => {
      const said = ["value", "values"].filter((key) => key in step);
      if (said.length === 0)
        context.addIssue(
          missingKey(
            "value",
            "a set step needs `value` or `values`. Write `value: …` for one value, or `values: {name: …}` for several.",
          ),
        );
      if (said.length === 2)
        context.addIssue(
          atKey(
            "values",
            "a set step takes `value` or `values`, not both. Keep `value` for one value, `values` for several by name.",
          ),
        );
      if (step.output_type !== undefined && "values" in step && !("value" in step))
        context.addIssue(
          atKey(
            "output_type",
            "`output_type` goes with `value`; with `values` each value finds its own type. Use `output` to check the types of several.",
          ),
        );
    })
    .meta({ id: "SetStep", judged: "value or values" }),
);

export type SetStep = z.output<ReturnType<typeof setStep>>;
