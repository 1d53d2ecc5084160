// The step type `set`: values from templates; nothing outside is touched.
import { onlyFields, type StepType, UNKNOWN } from "../step-type.ts";
import { type SetStep, setStep } from "./schema.ts";

export const set = {
  description: "computes a value from templates",
  schema: setStep,
  executor: () => import("./run.ts").then(({ set }) => set),
  output: "the value, or the mapping of `values`",
  templates: ["value", "values"],
  raises: ({ output, output_type = "auto" }, { raisesSchemaViolation }) => [
    ...(output_type === "auto" ? [] : ["internal.bad_value"]),
    ...(output && raisesSchemaViolation ? ["internal.schema_violation"] : []),
  ],
  shape: ({ values }) => (values ? onlyFields(...Object.keys(values)) : UNKNOWN),
  answeredBy: "nothing",
} as const satisfies StepType<SetStep>;
