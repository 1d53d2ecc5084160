// What recorded runs prove: a test made of one, an edited file against the last ones, and what a file would come to.
import { z } from "zod";
import { VERDICTS } from "../../services/history/verdict.ts";
import { text, time, whole, yesOrNo } from "./values.ts";

export const recordBody = z.strictObject({
  until: text.min(1).optional().describe("the test ends after this step"),
});

export const recordedJson = z
  .object({
    run_id: text,
    file: text.describe("the scenario that was written, relative to the root"),
    yaml: text.describe("what stands in it; values over 4 KiB are in files beside it"),
    passed: yesOrNo.describe("it was played at once"),
    problems: z.array(text).describe("what differed, where it does not pass"),
    notes: z.array(text).describe("what the scenario cannot say of the run, or says otherwise"),
  })
  .meta({ id: "Recorded" });
export type RecordedJson = z.infer<typeof recordedJson>;

export const backtestQuery = z.object({
  runs: z.coerce.number().int().min(1).max(1000).default(100).describe("how many of the newest"),
});

const verdict = z
  .enum(VERDICTS)
  .describe("rerouted: the same end by another way; output: other output; unknown: it asks what was not recorded");

const verdictFields = {
  verdict,
  step: text.nullable().describe("where the two part"),
  file: text.nullable(),
  line: whole.nullable().describe("what made the difference, in the file as it is now"),
  change: text.nullable().describe("in that line: `max 4 → 2`"),
  routes: z
    .object({ was: text, now: text })
    .optional()
    .describe("what follows there, in the run and now: `retry`, `to later`, `unhandled`"),
  was: text,
  now: text,
  fields: z.array(text).optional().describe("of another output: which fields differ"),
  why: text.optional().describe("why it is not known"),
  short: yesOrNo.optional().describe("it failed then, and is now unknown before it comes to the step that failed"),
};

export const backtestJson = z
  .object({
    file: text,
    newest: time.nullable().describe("when the newest of the runs began"),
    counts: z.record(z.enum(VERDICTS), whole),
    runs: z.array(z.object({ run_id: text, ...verdictFields })),
    groups: z
      .array(
        z.object({
          ...verdictFields,
          count: whole,
          example: text.describe("the newest run of the group"),
          can_follow: z
            .array(z.object({ kind: text, then: text }))
            .optional()
            .describe("of an unknown: errors that the step can raise, and what would follow each"),
        }),
      )
      .describe("runs that end alike"),
  })
  .meta({ id: "Backtest" });
export type BacktestJson = z.infer<typeof backtestJson>;

export const forecastQuery = z.object({
  plays: z.coerce.number().int().min(1).max(1000).default(300).describe("how often it is played"),
});

const share = z.number().min(0).max(1);
const spread = z.object({ median: z.number(), p95: z.number() });

export const forecastJson = z
  .object({
    file: text,
    plays: whole,
    history: whole.describe("how many past runs the answers are from"),
    shares: z.object({ completed: share, degraded: share, failed: share, waiting: share, unknown: share }),
    failures: z.record(text, share).describe("share of plays that fail with each kind"),
    seconds: spread,
    cost_usd: spread,
    costly: z.array(z.object({ kind: text, seconds: z.number(), cost_usd: z.number() })),
    borrowed: z.array(text).describe("steps without a history: answered as others of their type were"),
    what_if: z.array(z.object({ change: text, completed: share })),
  })
  .meta({ id: "Forecast" });
export type ForecastJson = z.infer<typeof forecastJson>;
