// Dead letters: steps and items that failed for good, and trying them again.
import { z } from "zod";
import type { RetryPlanOfRun } from "../../services/letters/retry-plan.ts";
import { anyJson, mapJson, text, time, whole } from "./values.ts";

export const lettersQuery = z.object({
  kind: text.optional(),
  workflow: text.optional(),
  run: text.optional(),
  since: text.optional(),
  all: z.enum(["1"]).optional().describe("also those that are resolved or dropped"),
});
export type LettersQuery = z.infer<typeof lettersQuery>;

export const letterJson = z
  .object({
    id: text,
    status: z.enum(["open", "retrying", "resolved", "dropped"]),
    kind: text,
    message: text,
    run_id: text,
    workflow: text,
    file: text,
    node_id: text,
    type: text,
    path: z.array(text),
    group: text.optional(),
    item_key: text.optional(),
    item: anyJson.optional(),
    attempts: whole,
    count: whole,
    first_seen: time,
    last_seen: time,
    acts: z
      .array(z.object({ what: z.enum(["retried", "dropped"]), by: text, at: time }))
      .optional()
      .describe("who retried or dropped it, oldest first; absent while nobody did"),
  })
  .meta({ id: "Letter" });

/** One that is listed or shown, and whether it can be tried again. */
const whyNot = text.nullable().describe("why it cannot be retried now; null: it can, or it is resolved or dropped");

export const wholeLetterJson = letterJson
  .extend({
    inputs: anyJson.optional(),
    envelope: anyJson,
    history: z.array(anyJson),
    definition_hash: text,
    workflow_file: z.enum(["unchanged", "changed", "gone"]),
    why_not: whyNot,
  })
  .meta({ id: "WholeLetter" });
export type WholeLetterJson = z.infer<typeof wholeLetterJson>;

export const listedLetterJson = letterJson.extend({ why_not: whyNot }).meta({ id: "ListedLetter" });
export type ListedLetterJson = z.infer<typeof listedLetterJson>;

export const lettersJson = z.object({ letters: z.array(listedLetterJson), server_time: time }).meta({ id: "Letters" });
export type LettersJson = z.infer<typeof lettersJson>;

/** By id, or by filter with the number that the person was shown. */
export const retryBody = z.union([
  z.strictObject({ ids: z.array(text).min(1).max(1000) }),
  z.strictObject({
    filter: z.strictObject({
      kind: text.optional(),
      workflow: text.optional(),
      run: text.optional(),
      since: text.optional(),
      step: text.optional(),
    }),
    count: whole.describe("how many there were: another number now is a 409"),
  }),
]);
export type RetryBody = z.infer<typeof retryBody>;

export const retriedJson = z
  .object({
    letters: z.array(text),
    runs: z.array(text).describe("runs that go on in the server"),
  })
  .meta({ id: "Retried" });
export type RetriedJson = z.infer<typeof retriedJson>;

export const droppedJson = z.object({ letters: z.array(letterJson) }).meta({ id: "Dropped" });
export type DroppedJson = z.infer<typeof droppedJson>;

export const retryPlanJson = z
  .object({
    runs: z.array(
      z.object({
        run_id: text,
        workflow: text,
        letters: z.array(text),
        plan: mapJson.nullable().describe("as `resume` of the story; null: not looked at, since there are many runs"),
      }),
    ),
  })
  .meta({ id: "RetryPlan" });

/** The plans are those of src/services/explain (`ResumePlan`). */
export interface RetryPlanJson {
  readonly runs: readonly RetryPlanOfRun[];
}
