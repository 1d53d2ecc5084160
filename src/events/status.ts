// The words for the status of a step, and for what its outcome led to. Apart from the state, since the published types of results
// name them, and may name no schema.

/** `cut_off`: the process that drove the run went away while it ran. */
export type StepStatus =
  | "completed"
  | "failed"
  | "recovered"
  | "cancelled"
  | "cut_off"
  | "paused"
  | "running"
  | "not_executed";
export type NodeAction = "default" | "error" | "retry" | "halt" | "terminate";
