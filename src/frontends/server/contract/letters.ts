// Failures of all runs by kind and step; and dead letters, with trying them again.
import { z } from "zod";
import type { RetryPlanOfRun } from "../../../services/dead-letters/retry-plan.ts";
import { anyJson, mapJson, shape, text, time, whole, yesOrNo } from "./values.ts";

const filters = { kind: text.optional(), workflow: text.optional(), run: text.optional(), since: text.optional() };

export const lettersQuery = z.object({
  ...filters,
  all: z.enum(["1"]).optional().describe("also those that are resolved or dropped"),
});

export const letterJson = shape("Letter", {
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
});

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

export const lettersJson = shape("Letters", { letters: z.array(listedLetterJson), server_time: time });
export type LettersJson = z.infer<typeof lettersJson>;

/** By id, or by filter with the number that the person was shown. */
export const retryBody = z.union([
  z.strictObject({ ids: z.array(text).min(1).max(1000).describe("of letters, from GET /api/letters") }),
  z.strictObject({
    filter: z.strictObject({ ...filters, step: text.optional() }),
    count: whole.describe("how many letters GET /api/letters gave: another number now is a 409"),
  }),
]);
export type RetryBody = z.infer<typeof retryBody>;

export const retriedJson = shape("Retried", {
  letters: z.array(text),
  runs: z.array(text).describe("runs that go on in the server"),
});
export type RetriedJson = z.infer<typeof retriedJson>;

export const droppedJson = shape("Dropped", { letters: z.array(letterJson) });
export type DroppedJson = z.infer<typeof droppedJson>;

export const retryPlanJson = shape("RetryPlan", {
  runs: z.array(
    z.object({
      run_id: text,
      workflow: text,
      letters: z.array(text),
      plan: mapJson.nullable().describe("as `resume` of the story; null: not looked at, since there are many runs"),
    }),
  ),
});

/** The plans are those of src/services/explain (`ResumePlan`). */
export interface RetryPlanJson {
  readonly runs: readonly RetryPlanOfRun[];
}

export const errorsQuery = z.object({
  kind: text.optional().describe("a kind, or a pattern with *"),
  workflow: text.optional(),
  since: text.optional().describe("ISO time, or an age: 1d, 2h; 30 days when left out"),
  limit: z.coerce.number().int().min(1).max(500).optional().describe("groups; 100 when left out"),
});

export const errorGroupJson = shape("ErrorGroup", {
  kind: text.nullable().describe("null: an ending that is no error of a step, such as a limit; see error_type"),
  error_type: text.nullable(),
  workflow: text,
  file: text,
  step: text.nullable().describe("that raised, with its sub-workflows and without their items: package/verify"),
  message: text.describe("of the newest"),
  count: whole.describe("each item that a group went on without is one"),
  first_at: time.describe("when it was raised"),
  last_at: time,
  newest: z
    .object({ run: text, step: text.nullable(), item: text.nullable() })
    .describe(
      "where the newest was raised, as addresses of the page name it: each[blue]/verify, and which item of its for_each",
    ),
  runs: z.array(text).describe("newest first, 20 at most"),
  letters: whole.describe("open dead letters of this kind and step: what a retry by filter would take"),
  retryable: yesOrNo,
  fixable: yesOrNo,
});
export type ErrorGroupJson = z.infer<typeof errorGroupJson>;

export const errorsJson = shape("Errors", {
  groups: z.array(errorGroupJson),
  groups_in_all: whole.describe("also those beyond the limit"),
  total: whole.describe("failures, in all groups"),
  unread: whole.describe(
    "older or very long runs, and letters, that this answer does not have yet, since each has to be read; they are read on after the answer, so ask again after a while; 0: these are all",
  ),
  unreadable: z
    .array(text)
    .describe("ids of runs that are left out: a journal is damaged, or nobody knows any more what to hide of it"),
  server_time: time,
});
export type ErrorsJson = z.infer<typeof errorsJson>;
