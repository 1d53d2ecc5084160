// A run as OpenTelemetry spans: `segno trace`, without sending them anywhere.
import { z } from "zod";
import { text, time } from "./values.ts";

const attributes = z.record(text, z.union([text, z.number(), z.boolean()]));

const spanJson = z
  .object({
    id: text,
    name: text,
    start: time,
    end: time,
    duration_ms: z.number(),
    status: z.enum(["ok", "error", "unset"]),
    message: text.optional(),
    attributes,
    events: z.array(z.object({ name: text, at: time, attributes })),
    links: z.array(z.object({ trace_id: text, span_id: text, attributes })).describe("spans that it goes back to"),
    get children() {
      return z.array(spanJson);
    },
  })
  .meta({ id: "Span" });

export const traceJson = z
  .object({
    run_id: text,
    trace_id: text,
    spans: z.array(spanJson).describe("one for the run, with the others below it"),
  })
  .meta({ id: "Trace" });
