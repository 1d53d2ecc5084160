// `type: workflow` — runs another workflow file as one step.
import * as z from "zod";
import { cache, outputFields, routed, values } from "../schema/fields.ts";
import { once } from "../schema/readings.ts";

export const workflowStep = once(() =>
  z
    .strictObject({
      type: z.literal("workflow").describe("Runs another workflow file as one step."),
      ...routed,
      workflow: z
        .string()
        .min(1)
        .meta({ description: "The file, relative to this one.", examples: ["./review.yaml"] }),
      input_mapping: values()
        .optional()
        .meta({
          description:
            "The child's inputs. Values are templates and keep their types. Left out, the child gets those of this workflow's inputs that it declares.",
          examples: [{ topic: "{{ workflow.input.topic }}" }],
        }),
      max_depth: z
        .int()
        .min(1)
        .max(10)
        .optional()
        .describe("How deep this step may nest. A file that calls itself needs it."),
      output: outputFields
        .optional()
        .describe("The fields that the child gives, so that validation knows them. Not checked at run time."),
      cache,
    })
    .meta({ id: "WorkflowStep" }),
);

export type WorkflowStep = z.output<ReturnType<typeof workflowStep>>;
