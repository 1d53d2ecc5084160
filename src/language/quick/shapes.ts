// The shapes of all parts of a file, by name. Only the command line's build looks into this file: it puts the texts in
// its place, so that a file with nothing wrong is read without any schema.
import * as z from "zod";
import { cache, routed, timeout } from "../../steps/schema/fields.ts";
import { once } from "../../steps/schema/readings.ts";
import { STEP_TYPES } from "../../steps/types.ts";
import { fileOutput, forEachFrame, parallelGroup, tools } from "../schema/index.ts";
import { sectionFrame, sections } from "../schema/workflow-section.ts";
import { type SchemaShape, shapeOfSchema } from "./shape.ts";

/** Each as JSON: most files have only a few of the parts. */
export const shapeTexts = once((): Readonly<Record<string, string>> => {
  const parts: Record<string, z.core.$ZodType> = {
    workflow: sectionFrame(),
    parallel: parallelGroup(),
    for_each: forEachFrame(),
    tools,
    output: fileOutput,
    "own step": z.strictObject({ ...routed, timeout, cache }),
  };
  for (const [key, schema] of Object.entries(sections)) parts[`workflow.${key}`] = schema();
  for (const [type, { schema }] of Object.entries(STEP_TYPES)) parts[`step ${type}`] = schema();
  const named = new Map<z.core.$ZodType, { readonly name: string; shape: SchemaShape }>();
  const texts = Object.entries(parts).map(
    ([name, schema]) => [name, JSON.stringify(shapeOfSchema(schema, named))] as const,
  );
  return Object.fromEntries([...texts, ...[...named.values()].map(({ name, shape }) => [name, JSON.stringify(shape)])]);
});
