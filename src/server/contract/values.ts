// Words and shapes that several answers share. Times are ISO 8601, durations milliseconds, money US dollars.
import { z } from "zod";
import { RUN_STATUSES } from "../../results/run-summary.ts";
import { envelopeSchema } from "../../results/schema.ts";

export const text = z.string();
export const whole = z.number().int().nonnegative();
export const yesOrNo = z.boolean();
export const time = z.string().describe("ISO 8601 time, by the server's clock");
export const anyJson = z.unknown().describe("any JSON");
export const mapJson = z.record(text, z.unknown());

/** Of a run. `queued`: a fleet has it, and waits for a worker. `crashed`: its process is gone and left no word; it can be resumed. */
export const runStatusJson = z.enum(RUN_STATUSES);

/** A status, and of `terminated` which way: a terminate step ends a run well or badly. */
export const endingJson = z.enum(["success", "failed"]);

/**
 * Stands in any value for one that is too long to be sent along: a beginning of it, and where the whole is. Only ever an
 * object with exactly these keys; `GET /api/blobs/HASH` gives the JSON text of the value, in parts when asked with Range.
 */
export const bigValueJson = z.object({
  $big: text.describe("the blob's name: sha256:…"),
  bytes: whole,
  preview: text,
});
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
