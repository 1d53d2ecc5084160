// Circuit breakers, and closing one by hand.
import { z } from "zod";
import { text, time, whole } from "./values.ts";

export const breakerJson = z
  .object({
    name: text,
    status: z.enum(["closed", "open", "half_open"]),
    failures: whole,
    opened_at: time.nullable(),
    next_probe_at: time.nullable().describe("when an open one lets a call through"),
    retry_after_seconds: whole.nullable(),
    probes: whole,
    successes: whole,
    reset: z.object({ by: text, at: time }).optional().describe("of one that somebody closed by hand"),
  })
  .meta({ id: "Breaker" });
export type BreakerJson = z.infer<typeof breakerJson>;

export const breakersJson = z.object({ breakers: z.array(breakerJson), server_time: time }).meta({ id: "Breakers" });
export type BreakersJson = z.infer<typeof breakersJson>;

export const resetBody = z.strictObject({
  opened_at: time.nullable().describe("as the person saw it: one that opened anew since then is a 409"),
});
export type ResetBody = z.infer<typeof resetBody>;
