// `type: human_gate` — asks a person to choose.
import * as z from "zod";
import { routed } from "../schema/fields.ts";
import { once } from "../schema/readings.ts";
import { waiting } from "../schema/waiting.ts";

const option = once(() =>
  z
    .strictObject({
      name: z
        .string()
        .optional()
        .meta({
          scalars: true,
          description: "The option's name, for `routes` on `<gate>.output.choice`. Its value when left out.",
          examples: ["approve"],
        }),
      label: z
        .string()
        .optional()
        .meta({ scalars: true, description: "What the person sees. The name when left out." }),
      value: z
        .string()
        .optional()
        .meta({
          scalars: true,
          description: "What `<gate>.output.selected` will be. The name when left out.",
          examples: ["approved"],
        }),
      route: z
        .string()
        .optional()
        .meta({
          description: "The step to go to when this is chosen. Left out, the gate's `routes` decide.",
          examples: ["publish"],
        }),
      description: z.string().optional().describe("More about the option."),
      prompt_for: z
        .string()
        .optional()
        .meta({
          description: "Ask for a text as well, kept as `<gate>.output.additional_input.<prompt_for>`.",
          examples: ["feedback"],
        }),
      multiline: z.boolean().default(false).describe("Whether that text may have several lines."),
      prompt_optional: z.boolean().optional().describe("Whether that text may be left out."),
    })
    .transform((value, context) => {
      const name = value.name ?? value.value ?? value.label;
      if (name !== undefined) return { ...value, name, value: value.value ?? name, label: value.label ?? name };
      context.addIssue({
        code: "custom",
        path: [],
        params: { rule: "missing-key", key: "value" },
        message: "an option needs a `value` (with `label` and `route`), or a `name`.",
      });
      return z.NEVER;
    })
    .meta({ expects: "a mapping with `label`, `value` and `route`" }),
);

export const humanGateStep = once(() =>
  z
    .strictObject({
      type: z.literal("human_gate").describe("Asks a person to choose, and waits for it without cost."),
      ...routed,
      prompt: z.string().meta({
        description: "The question, in Markdown. A template.",
        examples: ["Publish **{{ build.output.version }}**?"],
      }),
      options: z
        .array(option())
        .min(1)
        .meta({
          description: "What can be chosen.",
          examples: [
            [
              { label: "Publish", value: "yes", route: "publish" },
              { label: "Stop", value: "no", route: "$end" },
            ],
          ],
        }),
      ...waiting(),
      on_timeout: z
        .string()
        .optional()
        .meta({
          scalars: true,
          description:
            "The value of the option that counts as chosen when the timeout passes. Left out, it is an error.",
          examples: ["no"],
        }),
    })
    .superRefine((step, context) => {
      if (step.on_timeout !== undefined && step.timeout === undefined)
        context.addIssue({
          code: "custom",
          path: ["on_timeout"],
          params: { at: "key" },
          message: "`on_timeout` is never taken: the gate has no `timeout`. Add one, such as `timeout: 2h`.",
        });
    })
    .meta({ id: "HumanGateStep" }),
);

export type HumanGateStep = z.output<ReturnType<typeof humanGateStep>>;
