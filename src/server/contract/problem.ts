// The answer to what was refused, whatever the route: 400, 401, 403, 404, 409, 413, 415, 422, 429, 500 and 503 all look so.
import { z } from "zod";
import { anyJson, mapJson, text, time } from "./values.ts";

/** Who was faster. Every 409 has it. */
export const firstJson = z.object({
  what: text.describe(
    "what they did: answered, started, resumed, cancelled, ended, retried, dropped, changed, reset, opened, paused",
  ),
  by: text.nullable().describe("a person (`alex@box`) or a process (`process 4711 on box`); null when nobody knows"),
  at: time.nullable(),
  answer: text.optional().describe("what they answered, in a few words"),
});
export type FirstJson = z.infer<typeof firstJson>;

export const problemJson = z
  .object({
    status: z.number().int(),
    code: z
      .enum([
        "no_session",
        "wrong_token",
        "foreign_host",
        "foreign_origin",
        "not_json",
        "read_only",
        "bad_request",
        "outside_root",
        "not_found",
        "refused",
        "late",
        "too_large",
        "too_many",
        "defect",
      ])
      .describe("for programs; people read the message"),
    message: text.describe("the refusal's sentence"),
    hint: text.optional(),
    suggestions: z.array(text).optional(),
    errors: z.array(mapJson).optional().describe("the entries of the result that refused, when there is one"),
    first: firstJson.optional(),
    details: anyJson.optional(),
  })
  .meta({ id: "Problem" });
export type ProblemJson = z.infer<typeof problemJson>;
