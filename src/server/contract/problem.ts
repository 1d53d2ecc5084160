// The answer to what was refused, whatever the route: 400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500 and 503 all look so.
import { z } from "zod";
import { anyJson, mapJson, text, time, yesOrNo } from "./values.ts";

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
        "wrong_method",
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

// The token of the printed address is exchanged for a session, which every request under /api then names:
// `Authorization: Bearer SESSION`.

export const sessionBody = z.strictObject({ token: text.min(1).max(500) });

/** What the page has to know of the server it talks to. */
export const sessionJson = z
  .object({
    session: text.describe("opaque; for the Authorization header"),
    person: text.describe("who acts when this page does: `alex`, or `alex@box`"),
    known_by: z
      .enum(["token", "machine"])
      .describe("`token`: by a token of their own; `machine`: whoever has the server's token acts as its user"),
    version: text.describe("of Segno"),
    read_only: yesOrNo.describe("writes are refused: the page shows no buttons for them"),
    fleet: yesOrNo.describe("runs are driven by workers, which /api/workers lists"),
    root: text.describe("the folder below which workflows can be started"),
    preview: yesOrNo.describe("of `segno graph --watch`: a click on a node goes to its line in a connected editor"),
    server_time: time,
  })
  .meta({ id: "Session" });
export type SessionJson = z.infer<typeof sessionJson>;

/** The same of a session that goes on: `GET /api/session`. */
export const sessionNowJson = sessionJson.omit({ session: true }).meta({ id: "SessionNow" });
export type SessionNowJson = z.infer<typeof sessionNowJson>;
