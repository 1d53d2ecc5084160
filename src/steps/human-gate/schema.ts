// `type: human_gate` — asks a person to choose.
import * as z from "zod";
import { routed } from "../schema/fields.ts";
import { atKey, described, missingKey, once } from "../schema/readings.ts";
import { waiting } from "../schema/waiting.ts";

const option = once(() =>
  z
    .strictObject({
      name: described(
        z.string().optional(),
        "The option's name, for `routes` on `<gate>.output.choice`. Its value when left out.",
        { scalars: true, examples: ["approve"] },
      ),
      label: described(z.string().optional(), "What the person sees. The name when left out.", { scalars: true }),
      value: described(z.string().optional(), "What `<gate>.output.selected` will be. The name when left out.", {
        scalars: true,
        examples: ["approved"],
      }),
      route: described(
        z.string().optional(),
        "The step to go to when this is chosen. Left out, the gate's `routes` decide.",
        { examples: ["publish"] },
      ),
      description: described(z.string().optional(), "More about the option."),
      prompt_for: described(
        z.string().optional(),
        "Ask for a text as well, kept as `<gate>.output.additional_input.<prompt_for>`.",
        { examples: ["feedback"] },
      ),
      multiline: described(z.boolean().default(false), "Whether that text may have several lines."),
      prompt_optional: described(z.boolean().optional(), "Whether that text may be left out."),
    })
    .transform((value, context) => {
      const name = value.name ?? value.value ?? value.label;
      if (name !== undefined) return { ...value, name, value: value.value ?? name, label: value.label ?? name };
      context.addIssue(missingKey("value", "an option needs a `value` (with `label` and `route`), or a `name`."));
      return z.NEVER;
    })
    .meta({ expects: "a mapping with `label`, `value` and `route`", takesAnyKey: true }),
);

export const humanGateStep = once(() =>
  z
    .strictObject({
      type: described(z.literal("human_gate"), "Asks a person to choose, and waits for it without cost."),
      ...routed,
      prompt: described(z.string(), "The question, in Markdown. A template.", {
        examples: ["Publish **{{ build.output.version }}**?"],
      }),
      options: described(z.array(option()).min(1), "What can be chosen.", {
        examples: [
          [
            { label: "Publish", value: "yes", route: "publish" },
            { label: "Stop", value: "no", route: "$end" },
          ],
        ],
      }),
      ...waiting(),
      on_timeout: described(
        z.string().optional(),
        "The value of the option that counts as chosen when the timeout passes. Left out, it is an error.",
        { scalars: true, examples: ["no"] },
      ),
    })
    .superRefine((step, context) => {
      if (step.on_timeout !== undefined && step.timeout === undefined)
        context.addIssue(
          atKey(
            "on_timeout",
            "`on_timeout` is never taken: the gate has no `timeout`. Add one, such as `timeout: 2h`.",
          ),
        );
    })
    .meta({ id: "HumanGateStep" }),
);

export type HumanGateStep = z.output<ReturnType<typeof humanGateStep>>;
