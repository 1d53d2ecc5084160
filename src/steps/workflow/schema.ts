// `type: workflow` — runs another workflow file as one step.
import * as z from "zod";
import { placed } from "../schema/execution.ts";
import { cache, outputFields, routed, values } from "../schema/fields.ts";
import { described, once } from "../schema/readings.ts";

export const workflowStep = once(() =>
  z
    .strictObject({
      type: described(z.literal("workflow"), "Runs another workflow file as one step."),
      ...routed,
      workflow: described(z.string().min(1), "The file, relative to this one.", { examples: ["./review.yaml"] }),
      input_mapping: described(
        values().optional(),
        "The child's inputs. Values are templates and keep their types. Left out, the child gets those of this workflow's inputs that it declares.",
        { examples: [{ topic: "{{ workflow.input.topic }}" }] },
      ),
      max_depth: described(
        z.int().min(1).max(10).optional(),
        "How deep this step may nest. A file that calls itself needs it.",
      ),
      output: described(
        outputFields.optional(),
        "The fields that the child gives, so that validation knows them. Not checked at run time.",
      ),
      ...placed,
      cache,
    })
    .meta({ id: "WorkflowStep" }),
);

export type WorkflowStep = z.output<ReturnType<typeof workflowStep>>;
