// Which work a node is. The one switch over step types in the engine; everything an executor does is `stepWork`.
import type { Step } from "../language/schema/index.ts";
import { childWork } from "./children/child-work.ts";
import type { WorkflowFrame } from "./frame.ts";
import { groupWork } from "./groups/group-work.ts";
import { gateWork } from "./people/gate-work.ts";
import { questionsWork } from "./people/questions-work.ts";
import { stepWork } from "./visit/step-work.ts";
import { terminateWork } from "./visit/terminate-work.ts";
import type { FrameNode, Work } from "./visit/work.ts";

export function workOf(frame: WorkflowFrame, step: Step): Work {
  switch (step.type) {
    case "human_gate":
      return gateWork(frame, step);
    case "questions":
      return questionsWork(frame, step);
    case "workflow":
      return childWork(frame, step);
    case "terminate":
      return terminateWork(frame, step);
    default:
      return onceMade(frame, step);
  }
}

/** Loops ask for it again and again, and this work keeps nothing of a visit. */
function onceMade(frame: WorkflowFrame, step: Step): Work {
  let work = frame.works.get(step);
  if (!work) {
    work = stepWork(frame, step);
    frame.works.set(step, work);
  }
  return work;
}

export const workOfNode = (frame: WorkflowFrame, node: FrameNode): Work =>
  node.kind === "step" ? workOf(frame, node.step) : groupWork(frame, node);
