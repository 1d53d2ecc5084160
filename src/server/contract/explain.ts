// The story of a run: `segno explain`, as data.
import { z } from "zod";
import type { ExplainAnswer } from "../../services/explain/index.ts";
import { mapJson, text } from "./values.ts";

export const explainQuery = z.object({
  failed_items: z.enum(["1"]).optional().describe("`resume`: what running the lost items again would do"),
});

export const explainJson = z
  .object({
    run: mapJson.nullable(),
    chapters: z.array(mapJson),
    resume: mapJson.nullable().describe("what a resume would do now; null: it cannot be resumed, or is being driven"),
    next: z.array(text),
  })
  .meta({ id: "Explain" });

/** The parts are those of src/services/explain (`Chapter`, `Trouble`, `ResumePlan`). */
export type ExplainJson = Pick<ExplainAnswer, "run" | "chapters" | "resume" | "next">;
