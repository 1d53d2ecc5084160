// After a retry of lost items: the steps behind them that were reused, although what stands before them ran again. Their
// inputs are the same, and yet they may have worked on what those items had not written then.
import { callerOfSlot } from "../base/events/key.ts";
import type { Step } from "../language/schema/index.ts";
import { answeredBy } from "../steps/types.ts";
import type { NodeEnd } from "./ends.ts";
import type { ReusedSteps, Visit, WorkflowFrame } from "./frame.ts";

/** What these answer for reaches nothing outside, or is a person. */
const NOT_STALE: ReadonlySet<string> = new Set(["nothing", "gates", "questions"]);

export class ReusedBehindRetry implements ReusedSteps {
  readonly #ranAgain = new WeakSet<WorkflowFrame>();
  /** As lists of steps name them: `child/publish`. */
  readonly steps = new Set<string>();
  from: string | undefined;

  visitEnded({ frame, work, key }: Visit, end: NodeEnd): void {
    if (end.type !== "succeeded" && end.type !== "raised") return;
    if (!end.reused) {
      if (frame.engine.durable.recall.get(key)?.last) this.#ranAgain.add(frame);
      return;
    }
    // Items of a group are not told apart: the group stands for them.
    if (frame.places.length > 0 || !this.#isBehind(frame) || !mayBeStale(frame, work.name)) return;
    this.steps.add([...frame.path, work.name].join("/"));
    const [slot] = frame.path;
    this.from ??= slot === undefined ? work.name : callerOfSlot(slot);
  }

  #isBehind(frame: WorkflowFrame | undefined): boolean {
    return frame !== undefined && (this.#ranAgain.has(frame) || this.#isBehind(frame.parent));
  }
}

function mayBeStale(frame: WorkflowFrame, name: string): boolean {
  const node = frame.nodes.get(name);
  if (node?.kind === "step") return node.step.type !== "workflow" && readsOutside(node.step);
  const members =
    node?.kind === "for_each"
      ? [node.group.agent]
      : (node?.group.agents ?? []).flatMap((member) => {
          const found = frame.nodes.get(member);
          return found?.kind === "step" ? [found.step] : [];
        });
  return members.some((step) => step.type === "workflow" || readsOutside(step));
}

/** A step that names the files that it reads ran again if one of them had changed. */
const readsOutside = (step: Step): boolean =>
  !NOT_STALE.has(answeredBy(step.type)) && !(step.type === "script" && step.files.length > 0);
