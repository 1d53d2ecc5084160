// Any step, of whichever type; the types themselves are src/steps/types.ts.
import * as z from "zod";
import { once } from "../../steps/schema/once.ts";
import { STEP_TYPES, type StepTypeName } from "../../steps/types.ts";

/** The union of all types, distinguished by `type`. */
export const stepSchema = once(() => {
  const types = Object.values(STEP_TYPES).map(({ schema }) => schema());
  return z
    .discriminatedUnion("type", types as unknown as [ReturnType<(typeof STEP_TYPES)[StepTypeName]["schema"]>])
    .meta({ id: "Step" });
});

export type Step = z.output<ReturnType<typeof stepSchema>>;
