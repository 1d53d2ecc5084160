// The end of a run as a trigger's templates see it.
import type { StoredRun } from "../../hosts/store.ts";
import type { EndedRun } from "../../triggers/context.ts";

/** Nothing while the run goes on or waits for somebody. */
export const endOf = ({ runId, workflow, status, failingKind, ended }: StoredRun): EndedRun | undefined =>
  ended !== null && status !== "running" && status !== "paused" && status !== "queued"
    ? { run_id: runId, workflow, status, kind: failingKind, ended_at: ended }
    : undefined;
