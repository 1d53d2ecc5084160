// Rounds of a container: a plain retry of it is a new one, and what is inside has keys of its own there. A resume goes on
// with the round it finds, so that nothing that ended in it runs again.
import type { WorkflowFrame } from "../frame.ts";

/** The present round of a container that this drive has entered so many times before on this visit. */
export const roundOf = (frame: WorkflowFrame, key: string, entered: number): number =>
  1 + (frame.engine.durable.recall.get(key)?.retried ?? 0) + entered;
