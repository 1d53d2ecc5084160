// A step by itself, as it stands in a page: held against the schema of its type.
import * as z from "zod";
import { STEP_TYPES, type StepTypeName } from "../../src/steps/types.ts";

export function readStep(step: Readonly<Record<string, unknown>>): z.ZodSafeParseResult<unknown> {
  const { type = "agent" } = step;
  const entry = STEP_TYPES[type as StepTypeName];
  return entry ? entry.schema().safeParse({ type, ...step }) : z.never().safeParse(step);
}
