// The engine as services see it, and its loop: visit a node, follow its route, until `$end`. A pure function of the pinned
// definition, the inputs and the recorded outcomes; everything else comes through the port.
import { type Envelope, envelope } from "../base/errors/index.ts";
import { readLates } from "../base/json/late.ts";
import type { LoadedWorkflow } from "../language/loaded.ts";
import { haltedBy, routeOutput, workflowOutput } from "./context/endings.ts";
import { type Names, NO_NAMES } from "./context/scope.ts";
import { templateFailure } from "./context/visible.ts";
import { TimeLimit } from "./durable.ts";
import { type FrameEnd, isStop, type NodeEnd } from "./ends.ts";
import { type Calls, type Engine, type LedBy, remarked, type Visit, WorkflowFrame } from "./frame.ts";
import { runEndHook, runHook } from "./hooks.ts";
import { goOnFrom, type Start } from "./keyframe.ts";
import { atLimit, limitAt, overBudget } from "./limits/limits.ts";
import { BudgetLimit } from "./limits/purse.ts";
import type { ReachLimit } from "./limits/reached.ts";
import { runLostItems } from "./lost-items.ts";
import { LostMembers } from "./lost-members.ts";
import { endAllLeftRunning } from "./visit/carry-out.ts";
import type { Decision } from "./visit/routes.ts";
import { runVisit } from "./visit/visit.ts";
import type { FrameNode } from "./visit/work.ts";
import { workOf, workOfNode } from "./work-of.ts";

export type { FrameEnd } from "./ends.ts";
export type { Engine } from "./frame.ts";
export type { OutcomeCache } from "./outcome-cache.ts";

export interface RootRun {
  readonly workflow: LoadedWorkflow;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly maxIterations?: number;
  readonly maxVisits?: number;
  /** Reuse what is recorded; false with `--force`. */
  readonly reuse: boolean;
  readonly signal: AbortSignal;
  /** What is recorded runs again, all of it or from a step on: nothing of it may still be running then. */
  readonly startsOver?: boolean;
  /** Where a keyframe stands, from which the drive goes on. */
  readonly start?: Start;
}

const calls: Calls = { interpret, workOf };

const rootFrame = (engine: Engine, run: Omit<RootRun, "signal">): WorkflowFrame =>
  new WorkflowFrame(engine, run.workflow, run.inputs, [], "", {
    calls,
    maxIterations: run.maxIterations,
    maxVisits: run.maxVisits,
    reuse: run.reuse,
    fiber: engine.durable.fiber,
    lost: new LostMembers(run.start?.position.lost),
  });

export async function interpretRoot(engine: Engine, run: RootRun): Promise<FrameEnd> {
  if (run.startsOver) await endAllLeftRunning(engine);
  const end = await interpret(rootFrame(engine, run), run.signal, run.start);
  const { steps, from } = engine.reusedBehind ?? {};
  if (from !== undefined) engine.durable.note([], "reused_behind_retry", { steps: [...(steps ?? [])], from });
  // It outlives the run's journal.
  readLates(end);
  return end;
}

/** Of a run that has ended by itself: only these items run, and the run stays as it ended. */
export const interpretLostItems = (engine: Engine, run: RootRun, places: ReadonlySet<string>): Promise<void> =>
  runLostItems(rootFrame(engine, run), places, run.signal);

const END = "$end";

/** Runs a workflow from its entry point, or from where a keyframe stands, to an end, hooks included. */
async function interpret(frame: WorkflowFrame, signal: AbortSignal, start?: Start): Promise<FrameEnd> {
  const { hooks, limits } = frame.workflow.definition.workflow;
  const left = secondsLeft(frame, limits.timeout_seconds);
  // A resume of a run that has used up its time: a step would be started only to be ended.
  if (left === 0) return timeUp(frame, null);
  if (start) goOnFrom(frame, start);
  const limit = frame.engine.durable.timeLimit(left, signal, { fiber: frame.fiber, asking: true });
  const limited = frame.purse ? AbortSignal.any([limit.signal, frame.purse.signal]) : limit.signal;
  try {
    await runHook(frame, "on_start", hooks.on_start, {}, limited);
    const end = ownLimit(frame, await walk(frame, limited, start), limited, signal);
    await runEndHook(frame, end, signal);
    return end;
  } finally {
    limit.dispose();
  }
}

/** The clock of a resumed run goes on where it was; the time in between does not count. */
const secondsLeft = (frame: WorkflowFrame, seconds: number | undefined): number | undefined =>
  seconds === undefined || frame.depth > 0 ? seconds : Math.max(0, seconds - frame.engine.activeSecondsBefore);

async function walk(frame: WorkflowFrame, signal: AbortSignal, start: Start | undefined): Promise<FrameEnd> {
  let current = start?.position.node ?? frame.workflow.definition.workflow.entry_point;
  let led: LedBy | undefined = start?.position.led ?? undefined;
  const keyframes = frame.depth === 0 ? frame.engine.keyframes : undefined;
  for (;;) {
    if (signal.aborted) return { type: "cancelled", node: current };
    const keeping = keyframes?.beforeVisit(frame, current, led);
    if (keeping) await keeping;
    const node = nodeOf(frame, current);
    for (let limit = limitOf(frame, node); limit; limit = limitOf(frame, node)) {
      const stop = await atLimit(frame, limit, current, executionsOf(node));
      if (stop) return stop;
    }
    if (frame.engine.startsFresh(frame, current)) frame.reuse = false;
    frame.trimContext(current);

    const visit: Visit = {
      frame,
      work: workOfNode(frame, node),
      key: frame.visitKey(current),
      locals: NO_NAMES,
      ledBy: led?.error,
      signal,
      fiber: frame.fiber,
      member: undefined,
      attemptsBefore: 0,
    };
    const ended = runVisit(visit);
    const { end, decision } = ended instanceof Promise ? await ended : ended;
    if (isStop(end) || end.type === "terminated") return end;
    frame.engine.reusedBehind?.visitEnded(visit, end);
    if (signal.aborted && signal.reason instanceof BudgetLimit) return { type: "cancelled", node: current };
    if (led && end.type === "succeeded") recordRecovery(frame, led, current);
    if (!decision || decision.action === "unhandled" || decision.action === "propagate") return unhandled(end, current);
    const scope = led ? { error: led.error } : NO_NAMES;
    if (decision.action === "halt") {
      const cause = end.type === "raised" ? end.error : undefined;
      return haltedBy(frame, current, decision.halt, cause, end.output, scope);
    }
    const to = decision.action === "go" ? decision.to : decision.action === "retry" ? (decision.via ?? current) : END;
    recordRouteTaken(frame, current, to, decision, end);
    const shelving = shelve(frame, current);
    if (shelving) await shelving;
    if (to === END) {
      if (end.type === "raised") recordRecovery(frame, { error: end.error, from: current }, END);
      const error = end.type === "raised" ? end.error : led?.error;
      return finish(frame, decision.action === "go" ? decision.output : undefined, error, end.output);
    }
    led = end.type === "raised" ? { error: end.error, from: current } : undefined;
    current = to;
  }
}

/** Lets go of large texts in what a node gave, where they can be read back. */
function shelve({ context, engine: { durable } }: WorkflowFrame, node: string): undefined | Promise<void> {
  const view = context.view(node);
  const shelved = view && durable.shelve?.(view);
  if (shelved instanceof Promise) return shelved.then((later) => context.replace(node, later));
  if (shelved && shelved !== view) context.replace(node, shelved);
  return undefined;
}

function nodeOf(frame: WorkflowFrame, name: string): FrameNode {
  const node = frame.nodes.get(name);
  if (!node) throw new Error(`there is no step ${name} in ${frame.name}; validation should have refused the file`);
  return node;
}

/** What is known before: how many items a `for_each` has is known when it has begun. */
const executionsOf = (node: FrameNode): number => (node.kind === "parallel" ? node.group.agents.length : 1);

const limitOf = (frame: WorkflowFrame, node: FrameNode): ReachLimit | undefined =>
  endsHere(node) ? undefined : limitAt(frame, node.name, executionsOf(node));

/** At a limit a terminate step still runs: it is the end. */
const endsHere = (node: FrameNode): boolean => node.kind === "step" && node.step.type === "terminate";

const unhandled = (end: NodeEnd, node: string): FrameEnd => {
  if (end.type !== "raised") throw new Error(`${node} succeeded and has nowhere to go`);
  return { type: "raised", error: end.error, node, ...(end.unopted ? { unopted: true as const } : {}) };
};

function recordRecovery(frame: WorkflowFrame, led: LedBy, by: string): void {
  frame.engine.durable.note(frame.path, "error_recovered", {
    node: led.from,
    kind: led.error.kind,
    by,
    error: led.error,
  });
}

function recordRouteTaken(frame: WorkflowFrame, from: string, to: string, decision: Decision, end: NodeEnd): void {
  // What was reused has its route in the journal already.
  if ((end.type === "succeeded" || end.type === "raised") && end.reused) return;
  const ref = decision.action === "go" || decision.action === "retry" ? decision.route : null;
  const index = ref?.table === "step" ? ref.index : undefined;
  const data =
    index !== undefined && end.type !== "raised"
      ? frame.routeRecords.taken(from, to, index)
      : {
          from_agent: from,
          to_agent: to,
          route: index === undefined ? null : { index, line: frame.routeRecords.line(from, index) },
          error: end.type === "raised" ? true : undefined,
          option: end.type === "succeeded" && index === undefined ? end.option : undefined,
        };
  frame.engine.durable.note(frame.path, "route_taken", data);
}

function finish(frame: WorkflowFrame, over: Names | undefined, error: Envelope | undefined, output: unknown): FrameEnd {
  try {
    const names = { ...(error ? { error } : {}), ...(output === undefined ? {} : { output }) };
    const rendered = remarked(frame, null, () => ({
      ...workflowOutput(frame),
      ...(over ? routeOutput(frame, over, names) : {}),
    }));
    return { type: "completed", output: rendered, degraded: frame.lost.any, reused: frame.allReused };
  } catch (problem) {
    const failure = templateFailure(problem);
    const message = `the workflow's output could not be rendered: ${failure.message}`;
    return {
      type: "raised",
      error: envelope({ ...failure, message }, { workflow: frame.name, node: "output", attempt: 1 }),
      node: null,
    };
  }
}

/** A cancel that this workflow's own time limit or budget caused is that limit's end. */
function ownLimit(frame: WorkflowFrame, end: FrameEnd, limited: AbortSignal, outer: AbortSignal): FrameEnd {
  if (end.type !== "cancelled" || outer.aborted) return end;
  if (limited.reason instanceof BudgetLimit) return overBudget(limited.reason, end.node);
  return limited.reason instanceof TimeLimit ? timeUp(frame, end.node) : end;
}

const timeUp = (frame: WorkflowFrame, node: string | null): FrameEnd => ({
  type: "limit",
  errorType: "TimeoutError",
  message: `the workflow ran past limits.timeout_seconds (${frame.workflow.definition.workflow.limits.timeout_seconds} s)`,
  node,
});
