// The shape of an output field: `output: {score: {type: number, minimum: 0}}`. Fields may hold fields.
import * as z from "zod";
import { once } from "./once.ts";
import { FIELD_TYPES } from "./readings.ts";

export type FieldType = (typeof FIELD_TYPES)[number];

export interface OutputField {
  readonly type: FieldType;
  readonly description?: string;
  readonly items?: OutputField;
  readonly properties?: Readonly<Record<string, OutputField>>;
  readonly enum?: readonly (string | number | boolean)[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly required: boolean;
  readonly nullable: boolean;
}

type OutputFieldInput = Omit<Partial<OutputField>, "items" | "properties"> & {
  readonly items?: OutputFieldInput;
  readonly properties?: Readonly<Record<string, OutputFieldInput>>;
};

const self: z.ZodType<OutputField, OutputFieldInput> = z.lazy(() => outputField());

export const outputField = once(() =>
  z
    .strictObject({
      type: z.enum(FIELD_TYPES).describe("The field's type."),
      description: z.string().optional().describe("What the field holds. Passed to the agent."),
      items: self.optional().describe("For arrays: the shape of each item."),
      properties: z.record(z.string(), self).optional().describe("For objects: the shape of their fields."),
      enum: z
        .array(z.union([z.string(), z.number(), z.boolean()]).meta({ expects: "text, a number or a boolean" }))
        .min(1)
        .optional()
        .meta({ description: "The only values that are allowed.", examples: [["low", "high"]] }),
      pattern: z
        .string()
        .optional()
        .meta({
          description: "For strings: a regular expression that must be found in it.",
          examples: ["^[A-Z]+-[0-9]+$"],
        }),
      minimum: z.number().optional().describe("For numbers: the smallest value."),
      maximum: z.number().optional().describe("For numbers: the largest value."),
      minLength: z.int().min(0).optional().describe("For strings: the least length."),
      maxLength: z.int().min(0).optional().describe("For strings: the greatest length."),
      required: z.boolean().default(true).describe("Whether the field must be there."),
      nullable: z.boolean().default(false).describe("Whether null is allowed."),
    })
    .meta({
      id: "OutputField",
      expects: "a mapping with `type`",
      examples: [{ type: "string", description: "One sentence" }],
    }),
);

export const outputFields = z.record(z.string(), self).meta({ expects: "a mapping from field names to `{type: …}`" });
