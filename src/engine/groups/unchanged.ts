// Whether what is recorded of a branch is about the step as it is now.
import type { Envelope } from "../../errors/index.ts";
import type { WorkflowFrame } from "../frame.ts";
import { prepare } from "../visit/prepare.ts";
import type { Branch } from "./branches.ts";

/** Nothing when nothing is recorded. */
export function isUnchanged(
  frame: WorkflowFrame,
  { key, step, locals }: Branch,
  ledBy: Envelope | undefined,
): boolean | undefined {
  const recorded = frame.engine.durable.recall.get(key)?.last;
  if (!recorded) return undefined;
  const now = prepare({ frame, work: frame.calls.workOf(frame, step), locals, ledBy });
  return now.ok && now.hash === recorded.hash;
}
