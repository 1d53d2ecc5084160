// A status is said three ways at once: by colour, by icon, by word.
import { Icon, type IconName } from "./icon.tsx";

export type State =
  | "pending"
  | "running"
  | "waiting"
  | "retrying"
  | "completed"
  | "recovered"
  | "failed"
  | "cancelled"
  | "reused";

interface Said {
  readonly state: State;
  readonly icon: IconName;
  readonly word: string;
}

/** The statuses of runs, as the store and the results name them. */
const RUNS: Readonly<Record<string, Said>> = {
  queued: { state: "pending", icon: "pending", word: "Queued" },
  running: { state: "running", icon: "running", word: "Running" },
  completed: { state: "completed", icon: "completed", word: "Completed" },
  degraded: { state: "recovered", icon: "degraded", word: "Degraded" },
  "terminated:success": { state: "completed", icon: "endedWell", word: "Terminated: success" },
  "terminated:failed": { state: "failed", icon: "endedBadly", word: "Terminated: failed" },
  failed: { state: "failed", icon: "failed", word: "Failed" },
  paused: { state: "waiting", icon: "paused", word: "Paused" },
  cancelled: { state: "cancelled", icon: "cancelled", word: "Cancelled" },
  crashed: { state: "failed", icon: "stop", word: "Crashed" },
};

export const runStatus = (status: string): Said =>
  RUNS[status] ?? { state: "pending", icon: "pending", word: status.charAt(0).toUpperCase() + status.slice(1) };

export const FILTERED_STATUSES = [
  "queued",
  "running",
  "paused",
  "failed",
  "crashed",
  "degraded",
  "completed",
  "terminated:success",
  "terminated:failed",
  "cancelled",
] as const;

export const canBeCancelled = (status: string | undefined): boolean =>
  status === "running" || status === "queued" || status === "paused";

/** A test is made of a run that has ended, or that waits for a person. */
export const canBeTested = (status: string | undefined): boolean =>
  status !== undefined && status !== "running" && status !== "queued" && status !== "crashed";

/** A workflow that ended itself did so well or badly: two ends, not one. */
export const statusWord = ({ status, termination }: { status: string; termination: string | null }): string =>
  status === "terminated" ? `terminated:${termination ?? "success"}` : status;

export function RunStatusMark({ status, pill = false }: { readonly status: string; readonly pill?: boolean }) {
  const { state, icon, word } = runStatus(status);
  return (
    <span class={`status is-${state}${pill ? " pill" : ""}`}>
      <Icon name={icon} />
      {word}
    </span>
  );
}

const WORDS: Readonly<Record<State, string>> = {
  pending: "not reached",
  running: "running",
  waiting: "waiting",
  retrying: "retrying",
  completed: "completed",
  recovered: "recovered",
  failed: "failed",
  cancelled: "cancelled",
  reused: "reused",
};

export function StepState({
  state,
  pill = false,
  word,
}: {
  readonly state: State;
  readonly pill?: boolean;
  readonly word?: string;
}) {
  return (
    <span class={`status is-${state}${pill ? " pill" : ""}`}>
      <Icon name={state} />
      {word ?? WORDS[state]}
    </span>
  );
}
