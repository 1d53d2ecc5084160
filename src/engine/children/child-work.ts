// `type: workflow`: runs another file with a context of its own. What it leaves unhandled becomes this step's error.
import { crossing, failed, type GroupPlace, type Raised, raised } from "../../base/errors/index.ts";
import { callerOfSlot, childPrefix, slotOf } from "../../base/events/key.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import type { WorkflowStep } from "../../language/schema/index.ts";
import { type PreparedWorkflow, prepareCall, workflow } from "../../steps/workflow/prepare.ts";
import { type FrameEnd, isStop } from "../ends.ts";
import { WorkflowFrame } from "../frame.ts";
import { roundOf } from "../groups/branches.ts";
import { fileDigest } from "../visit/hash.ts";
import { prepare } from "../visit/prepare.ts";
import { scopeOf } from "../visit/step-work.ts";
import { type Member, ownWork, placeInGroup, type Work, type WorkAttempt, type WorkEnd } from "../visit/work.ts";
import { resolveInputs, splitSecrets } from "./inputs.ts";
import { outlineOf } from "./outline.ts";

const DEEPEST = 10;

interface PreparedChild {
  readonly child: PreparedWorkflow;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Of all its files: a change in them is a change of the step. */
  readonly digest: string;
}

export function childWork(frame: WorkflowFrame, step: WorkflowStep): Work {
  const loaded = frame.workflow.children.get(step.workflow);
  let entered = 0;
  return {
    ...ownWork(step, workflow.version),
    timeoutSeconds: "timeout" in step ? (step.timeout as number | undefined) : undefined,
    isContainer: true,
    prepare(scope, locals): PreparedChild {
      const declared = loaded?.definition.workflow.input ?? {};
      const child = prepareCall(step, scopeOf(frame, step.name, scope, locals), declared);
      return { child, inputs: child.inputs ?? inherited(frame, loaded), digest: loaded ? fileDigest(loaded) : "" };
    },
    async run(values, attempt) {
      if (!loaded) throw new Error(`the sub-workflow ${step.workflow} was not loaded`);
      return runChild(frame, step, loaded, values as PreparedChild, attempt, entered++);
    },
    // The hash holds the inputs and the digest of all files: nothing else decides what a child does.
    unchanged: () => true,
    roundEnded() {
      entered += 1;
    },
  };
}

/** Without `input_mapping` the child gets those of the parent's inputs that it declares; all, if it declares none. */
function inherited(frame: WorkflowFrame, child: LoadedWorkflow | undefined): Readonly<Record<string, unknown>> {
  const declared = child?.definition.workflow.input;
  if (!declared) return frame.inputs;
  return Object.fromEntries(Object.entries(frame.inputs).filter(([name]) => Object.hasOwn(declared, name)));
}

/** Where a child of this step is interpreted; its latest one, with the names that its caller has now. */
export function childFrame(
  frame: WorkflowFrame,
  step: WorkflowStep,
  { key, locals, member, fiber }: Pick<WorkAttempt, "key" | "locals" | "member" | "fiber">,
): WorkflowFrame | undefined {
  const loaded = frame.workflow.children.get(step.workflow);
  const prepared = prepare({ frame, work: childWork(frame, step), locals, ledBy: undefined });
  if (!loaded || !prepared.ok) return undefined;
  const { inputs } = prepared.values as PreparedChild;
  const resolved = resolveInputs(loaded.definition.workflow.input, inputs, "drop");
  return resolved.ok ? innerFrame(frame, step, loaded, resolved.inputs, { key, locals, member, fiber }, 0) : undefined;
}

function innerFrame(
  frame: WorkflowFrame,
  step: WorkflowStep,
  loaded: LoadedWorkflow,
  inputs: Readonly<Record<string, unknown>>,
  { key, locals, member, fiber }: Pick<WorkAttempt, "key" | "locals" | "member" | "fiber">,
  entered: number,
): WorkflowFrame {
  return new WorkflowFrame(
    frame.engine,
    loaded,
    inputs,
    [...frame.path, slotOf(step.name, itemOf(member))],
    // A retry of the step is a fresh child: its keys say so. A resume enters the latest one again.
    childPrefix(key, roundOf(frame, key, entered)),
    {
      calls: frame.calls,
      reuse: frame.reuse,
      fiber,
      parent: frame,
      places: placesBelow(frame, member),
      item: frame.itemOf(member, locals),
    },
  );
}

const itemOf = (member: WorkAttempt["member"]): { readonly group: string; readonly key: string } | undefined =>
  member?.item_key === undefined ? undefined : { group: member.group, key: member.item_key };

async function runChild(
  frame: WorkflowFrame,
  step: WorkflowStep,
  loaded: LoadedWorkflow,
  { child, inputs }: PreparedChild,
  attempt: WorkAttempt,
  entered: number,
): Promise<WorkEnd> {
  const { durable } = frame.engine;
  const { name } = loaded.definition.workflow;
  const deepest = Math.min(child.max_depth ?? DEEPEST, DEEPEST);
  const { member } = attempt;
  const item = itemOf(member);
  const callsBefore = frame.path.filter((slot) => callerOfSlot(slot) === (item?.group ?? step.name)).length;
  if (frame.depth + 1 > DEEPEST || callsBefore + 1 > deepest)
    return failedWith(
      childFailed(
        "MaxDepthError",
        `sub-workflows may be ${deepest} deep here, and ${step.name} would be one more`,
        name,
      ),
    );
  const resolved = resolveInputs(loaded.definition.workflow.input, inputs, "drop");
  if (!resolved.ok) {
    const message = resolved.problems.map(({ message, hint }) => (hint ? `${message}. ${hint}` : message)).join("; ");
    return failedWith(childFailed("InputValidation", message, name));
  }
  const slot = slotOf(step.name, item);
  const inner = innerFrame(frame, step, loaded, resolved.inputs, attempt, entered);
  const { journal, names, secrets } = splitSecrets(loaded, resolved.inputs);
  if (Object.keys(secrets).length > 0) await frame.engine.hideSecrets?.(secrets);
  attempt.emit("subworkflow_started", {
    agent_name: step.name,
    key: attempt.key,
    slot,
    workflow: name,
    file: loaded.file,
    inputs: journal,
    hidden_inputs: [...names],
    outline: outlineOf(loaded),
  });
  const { value: end, startedAt, endedAt } = await durable.timed(() => frame.calls.interpret(inner, attempt.signal));
  const ended = { agent_name: step.name, key: attempt.key, slot, elapsed: (endedAt - startedAt) / 1000 };
  // However it ended: what its groups went on without is lost, also when a route takes a later error of it.
  if (member) frame.lost.mark(member.group, inner.lost.any, member.item_key ?? step.name);
  else frame.lost.mark(step.name, inner.lost.any);
  return ending(frame, step, name, end, { ...ended, degraded: inner.lost.any }, attempt);
}

const placesBelow = ({ places }: WorkflowFrame, member: Member | undefined): readonly GroupPlace[] =>
  member ? [...places, placeInGroup(member)] : places;

function ending(
  frame: WorkflowFrame,
  step: WorkflowStep,
  workflowName: string,
  end: FrameEnd,
  { degraded, ...ended }: { agent_name: string; key: string; slot: string; elapsed: number; degraded: boolean },
  attempt: WorkAttempt,
): WorkEnd {
  if (isStop(end)) {
    if (end.type !== "limit") return end;
    const error = childFailed(end.errorType, end.message, workflowName);
    attempt.emit("subworkflow_failed", { ...ended, error_type: end.errorType, message: end.message });
    return failedWith(error);
  }
  switch (end.type) {
    case "completed":
      attempt.emit("subworkflow_completed", { ...ended, degraded });
      return { type: "outcome", outcome: { ok: true, output: end.output }, reused: end.reused };
    case "terminated": {
      const fields = { termination_reason: end.reason, terminated_by: end.by, is_explicit: true, status: end.status };
      if (end.status === "success") {
        attempt.emit("subworkflow_completed", { ...ended, degraded, ...fields });
        return { type: "outcome", outcome: { ok: true, output: end.output } };
      }
      const failure = { error_type: "WorkflowTerminated", message: end.reason, ...fields };
      attempt.emit("subworkflow_failed", { ...ended, ...failure });
      const details = { output: end.output, reason: end.reason, terminated_by: end.by, workflow: workflowName };
      return failedWith(raised("subworkflow.terminated", `${workflowName} ended itself: ${end.reason}`, details));
    }
    case "raised": {
      const { error } = end;
      attempt.emit("subworkflow_failed", {
        ...ended,
        error_type: end.unopted ? "ValidationError" : "WorkflowError",
        message: error.message,
        error,
      });
      const { member } = attempt;
      const boundary = { workflow: frame.name, node: step.name, ...(member ? placeInGroup(member) : {}) };
      return failedWith(
        end.unopted ? childFailed("ValidationError", error.message, workflowName) : crossing(error, boundary),
      );
    }
  }
}

const failedWith = (error: Raised): WorkEnd => ({ type: "outcome", outcome: failed(error) });

const childFailed = (error_type: string, message: string, workflowName: string): Raised =>
  raised("subworkflow.failed", `${workflowName} could not finish: ${message}`, {
    error_type,
    message,
    workflow: workflowName,
  });
