// The one table of how a drive ends: which events end it, what the run's status is then, and what becomes of the steps that
// were still running.
import type { StepStatus } from "./node-types.ts";
import type { RunEvent } from "./registry.ts";
import type { RunStatus } from "./state/state.ts";

type RunEndType = "workflow_completed" | "workflow_failed" | "run_paused" | "run_cancelled";
export type RunEndEvent = Extract<RunEvent, { readonly type: RunEndType }>;
export type RunEndStatus = Exclude<RunStatus, "running">;

type StatusOf = { readonly [Type in RunEndType]: (data: Extract<RunEvent, { type: Type }>["data"]) => RunEndStatus };

const STATUS: StatusOf = {
  workflow_completed: ({ is_explicit, degraded }) => (is_explicit ? "terminated" : degraded ? "degraded" : "completed"),
  workflow_failed: ({ is_explicit }) => (is_explicit ? "terminated" : "failed"),
  run_paused: () => "paused",
  run_cancelled: () => "cancelled",
};

export const isRunEnd = (event: RunEvent): event is RunEndEvent => Object.hasOwn(STATUS, event.type);

export const statusAfter = ({ type, data }: RunEndEvent): RunEndStatus =>
  (STATUS[type] as (data: RunEndEvent["data"]) => RunEndStatus)(data);

/** A reminder of a run at rest, its cancelling, a lost item that runs again: its time belongs to no drive. */
export const isBetweenDrives = ({ type }: RunEvent, isAtRest: boolean): boolean => isAtRest && type !== "run_resumed";

/** What a step that was left running is called once its run has this status. */
export const LEFT_RUNNING = {
  running: "running",
  paused: "paused",
  cancelled: "cancelled",
  failed: "failed",
  terminated: "cancelled",
  completed: "cancelled",
  degraded: "cancelled",
} as const satisfies Readonly<Record<RunStatus, StepStatus>>;
