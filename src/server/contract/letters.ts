// Dead letters: steps and items that failed for good, and trying them again.
import { z } from "zod";
import { anyJson, text, time, whole } from "./values.ts";

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
  })
  .meta({ id: "Letter" });
export type LetterJson = z.infer<typeof letterJson>;

export const wholeLetterJson = letterJson
  .extend({
    inputs: anyJson.optional(),
    envelope: anyJson,
    history: z.array(anyJson),
    definition_hash: text,
    workflow_file: z.enum(["unchanged", "changed", "gone"]),
  })
  .meta({ id: "WholeLetter" });
export type WholeLetterJson = z.infer<typeof wholeLetterJson>;

export const lettersJson = z.object({ letters: z.array(letterJson), server_time: time }).meta({ id: "Letters" });
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
