// The workers of a fleet: who is there, what each drives, and what waits for one.
import { z } from "zod";
import { text, time, whole, yesOrNo } from "./values.ts";

export const workerJson = z
  .object({
    id: text,
    cell: text.optional().describe("the one that it serves, on a fleet that is made of cells"),
    host: text,
    pid: whole,
    version: text.describe("of Segno"),
    draining: yesOrNo.describe("it takes nothing more, hands over what it drives, and leaves"),
    since: time.nullable().describe("since when it is there; null: it does not say"),
    silent_ms: whole.describe("how long ago its last sign of life is"),
    concurrency: whole.nullable().describe("how many runs it drives at most"),
    runs: z.array(z.object({ run_id: text, workflow: text })),
    other_runs: whole.describe("how many runs it drives besides, of workflows that are not shown here"),
  })
  .meta({ id: "Worker" });
export type WorkerJson = z.infer<typeof workerJson>;

export const workersJson = z
  .object({
    fleet: yesOrNo.describe("false: runs are driven by whoever starts them, and there are no workers"),
    workers: z.array(workerJson).describe("those who gave a sign of life lately"),
    queue: z
      .object({
        waiting: whole.describe("runs that wait for a worker"),
        delayed: whole.describe("runs that wait for their own time"),
        oldest_ms: whole.nullable().describe("how long the oldest has waited for a worker"),
      })
      .nullable(),
    server_time: time,
  })
  .meta({ id: "Workers" });
export type WorkersJson = z.infer<typeof workersJson>;
