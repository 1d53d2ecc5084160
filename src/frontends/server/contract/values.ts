// Words and shapes that several answers share, the answer to what was refused, and sessions. Times are ISO 8601,
// durations milliseconds, money US dollars.
import { z } from "zod";
import { RUN_STATUSES } from "../../../base/results/result.ts";
import { envelopeSchema } from "../../../base/results/schema.ts";

export const text = z.string();
export const whole = z.number().int().nonnegative();
export const yesOrNo = z.boolean();
export const time = z.string().describe("ISO 8601 time, by the server's clock");
export const anyJson = z.unknown().describe("any JSON");
export const mapJson = z.record(text, z.unknown());

/** A shape that stands once in /api/openapi.json, under this name. */
export const shape = <Fields extends z.ZodRawShape>(id: string, fields: Fields) => z.object(fields).meta({ id });

/** Of a run. `queued`: a fleet has it, and waits for a worker. `crashed`: its process is gone and recorded no end; it can be resumed. */
export const runStatusJson = z.enum(RUN_STATUSES);

/** A status, and of `terminated` which way: a terminate step ends a run well or badly. */
export const endingJson = z.enum(["success", "failed"]);

/**
 * Stands in any value for one that is too long to be sent along: a beginning of it, and where the whole is. Only ever an
 * object with exactly these keys; `GET /api/blobs/HASH` gives the JSON text of the value, in parts when asked with Range.
 */
export const bigValueJson = z.object({ $big: text.describe("the blob's name: sha256:…"), bytes: whole, preview: text });
export type BigValueJson = z.infer<typeof bigValueJson>;

export const placeJson = z.object({ file: text, line: whole, column: whole, field: text.optional() });

export const envelopeJson = envelopeSchema;

export const tokensJson = z.object({
  input: whole,
  output: whole,
  cached: whole.optional(),
  reasoning: whole.optional(),
});

export const seqSeen = whole.describe(
  "the `seq` of the run that the person saw when they acted, from GET /api/runs/{run}",
);

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

export const problemJson = shape("Problem", {
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
});
export type ProblemJson = z.infer<typeof problemJson>;

// The token of the printed address is exchanged for a session, which every request under /api then names:
// `Authorization: Bearer SESSION`.

export const sessionBody = z.strictObject({ token: text.min(1).max(500) });

/** What the page has to know of the server it talks to. */
export const sessionJson = shape("Session", {
  session: text.describe("opaque; for the Authorization header"),
  person: text.describe("who acts when this page does: `alex`, or `alex@box`"),
  known_by: z
    .enum(["token", "machine"])
    .describe("`token`: by a token of their own; `machine`: whoever has the server's token acts as its user"),
  version: text.describe("of Segno"),
  read_only: yesOrNo.describe("writes are refused: the page shows no buttons for them"),
  fleet: yesOrNo.describe("runs are driven by workers, which /api/workers lists"),
  root: text.describe("the folder below which workflows can be started"),
  program: text.describe("what the server's user types to call Segno: `segno`, or `npx segno`"),
  preview: yesOrNo.describe("of `segno graph --watch`: a click on a node goes to its line in a connected editor"),
  server_time: time,
});
export type SessionJson = z.infer<typeof sessionJson>;

/** The same of a session that goes on: `GET /api/session`. */
export const sessionNowJson = sessionJson.omit({ session: true }).meta({ id: "SessionNow" });
export type SessionNowJson = z.infer<typeof sessionNowJson>;
