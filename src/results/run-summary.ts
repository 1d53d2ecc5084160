// A run as lists show it: the command line, MCP, the library.
import type { ResultStatus } from "./result.ts";

/** `crashed`: the process that drove it is gone, and left no word of an end. */
export type RunSummaryStatus = Exclude<ResultStatus, "valid" | "invalid"> | "crashed";

export const RUN_STATUSES = Object.keys({
  ...{ queued: 0, running: 0, completed: 0, degraded: 0, terminated: 0 },
  ...{ failed: 0, paused: 0, cancelled: 0, crashed: 0 },
} satisfies Record<RunSummaryStatus, 0>) as readonly RunSummaryStatus[];

export interface RunSummary {
  readonly run_id: string;
  /** On a fleet that is made of cells: the one that has it. */
  readonly cell?: string;
  readonly workflow: string | null;
  readonly file: string | null;
  readonly status: RunSummaryStatus;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly duration_ms: number | null;
  readonly kind: string | null;
  readonly exit_code: number | null;
  readonly cost_usd: number | null;
  readonly resumable: boolean;
  /** Of a run that no worker will take as things are: why. */
  readonly waits_because?: string;
}
