// `type: http` — sends one HTTP request.
import * as z from "zod";
import { cache, checkedOutput, environment, routed, seconds } from "../schema/fields.ts";
import { described, once } from "../schema/readings.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;
const RANGE = /^\s*[1-5]\d\d\s*-\s*[1-5]\d\d\s*$|^[1-5]xx$/i;

const status = z
  .union([z.int().min(100).max(599), z.string().regex(RANGE)])
  .meta({ expects: "a status such as 404, or a range such as 200-299 or 2xx" });

export const httpStep = once(() =>
  z
    .strictObject({
      type: described(z.literal("http"), "Sends one HTTP request."),
      ...routed,
      url: described(z.string().min(1), "The address. A template.", {
        examples: ["https://api.example.com/issues/{{ workflow.input.id }}"],
      }),
      method: described(
        z
          .string()
          .transform((value) => value.toUpperCase())
          .pipe(z.enum(METHODS))
          .default("GET"),
        "The method.",
        { expects: METHODS.join(", "), examples: ["POST"] },
      ),
      headers: described(environment().default({}), "Headers to send. Values are templates.", {
        examples: [{ authorization: "Bearer ${TOKEN}" }],
      }),
      query: described(
        z.record(z.string(), z.unknown()).default({}),
        "Query parameters. Values are templates; a list repeats its parameter.",
      ),
      body: described(
        z.unknown().optional(),
        "What to send: a mapping or list as JSON, text as it is. Values are templates and keep their types.",
      ),
      timeout: described(
        seconds().optional(),
        "Seconds after which the step is ended and raises `internal.timeout`. Left out, the step waits as long as bytes come; after 300 s without one it raises `http.network`.",
      ),
      accept_status: described(
        z
          .union([status, z.array(status)])
          .transform((value) => (Array.isArray(value) ? value : [value]))
          .optional(),
        "Which answers count as success: statuses and ranges. 200-399 when left out. Any other raises `http.unavailable` (429, 5xx) or `http.status`.",
        { expects: "a status, a range such as 200-299, or a list of these", examples: [[200, 404], "200-299"] },
      ),
      redirects: described(
        z
          .strictObject({
            send_headers: described(
              z.array(z.string().min(1)).default([]),
              "Headers of this step that may go to another origin too.",
            ),
            send_body: described(z.boolean().default(false), "Whether the body may go to another origin too."),
          })
          .optional(),
        "What goes along when the server redirects to another origin. By default neither the body nor any header beyond `accept`, `content-type`, `user-agent` and their like.",
        { examples: [{ send_headers: ["x-trace-id"], send_body: true }] },
      ),
      ...checkedOutput,
      cache,
    })
    .meta({ id: "HttpStep" }),
);

export type HttpStep = z.output<ReturnType<typeof httpStep>>;
