// The token of the printed address is exchanged for a session, which every request under /api then names:
// `Authorization: Bearer SESSION`.
import { z } from "zod";
import { text, time, yesOrNo } from "./values.ts";

export const sessionBody = z.strictObject({ token: text.min(1).max(500) });
export type SessionBody = z.infer<typeof sessionBody>;

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
