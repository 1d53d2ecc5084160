// What types of nodes have in common, the statuses of steps, and what their outcome led to. Apart from the state, since the
// published types of results name them, and may name no schema.
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

const CONTAINERS: ReadonlySet<string> = new Set(["parallel", "for_each", "workflow"]);

/** Whether a node only holds others: what goes wrong in it began further in, and entering it is no execution. */
export const isContainer = (type: string): boolean => CONTAINERS.has(type);

const WAITING: ReadonlySet<string> = new Set(["human_gate", "questions", "wait"]);

/** Whether a step does nothing but wait, for a person or a time. */
export const onlyWaits = (type: string): boolean => WAITING.has(type);

/** Whether what begins anew after a pause only goes on: nothing is done twice, so it is the same attempt. */
export const goesOnAfterPause = (type: string): boolean => isContainer(type) || onlyWaits(type);

export const isGroup = (type: string): boolean => type === "parallel" || type === "for_each";
