// Failures of all runs, grouped by kind and step, newest first.
import { z } from "zod";
import { text, time, whole, yesOrNo } from "./values.ts";

export const errorsQuery = z.object({
  kind: text.optional().describe("a kind, or a pattern with *"),
  workflow: text.optional(),
  since: text.optional().describe("ISO time, or an age: 1d, 2h; 30 days when left out"),
  limit: z.coerce.number().int().min(1).max(500).optional().describe("groups; 100 when left out"),
});
export type ErrorsQuery = z.infer<typeof errorsQuery>;

export const errorGroupJson = z
  .object({
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
  })
  .meta({ id: "ErrorGroup" });
export type ErrorGroupJson = z.infer<typeof errorGroupJson>;

export const errorsJson = z
  .object({
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
  })
  .meta({ id: "Errors" });
export type ErrorsJson = z.infer<typeof errorsJson>;
