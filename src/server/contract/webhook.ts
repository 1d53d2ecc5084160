// POST /hooks/PATH: what a genuine sender is answered. What is refused has the form that every refusal has.
import { z } from "zod";
import { text, yesOrNo } from "./values.ts";

export const webhookJson = z
  .object({
    run_id: text.nullable().describe("null: it was skipped, and made none"),
    skipped: text.optional().describe("why"),
    duplicate: yesOrNo.optional().describe("the same delivery came before, and this is its run"),
  })
  .meta({ id: "Webhook" });
