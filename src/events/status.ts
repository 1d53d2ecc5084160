// The words for the status of a step, and for what its outcome led to. Results are typed with them, so they need no schema.

export type StepStatus = "completed" | "failed" | "recovered" | "cancelled" | "paused" | "running" | "not_executed";
export type NodeAction = "default" | "error" | "retry" | "halt" | "terminate";
