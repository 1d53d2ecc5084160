// One workflow being interpreted, the root's file or a child's, with its own context, counters and limits; and a visit
// under way in it. What the interpreter is given, frames and visits know each other, so they are in one file. What this
// file imports of the engine knows nothing of frames: modules do not import each other in circles.

import type { Envelope, GroupPlace, Raised } from "../base/errors/index.ts";
import { visitKey } from "../base/events/key.ts";
import type { EventData } from "../base/events/registry.ts";
import type { LoadedWorkflow } from "../language/loaded.ts";
import type { Route, Step } from "../language/schema/index.ts";
import type { Resilience } from "../language/schema/resilience.ts";
import { allowedWork } from "../language/schema/section-defaults.ts";
import type { CallTurns } from "../steps/caller.ts";
import type { Clock, Executor, WorkflowPlace } from "../steps/step-type.ts";
import type { StepWorld } from "../steps/world.ts";
import { withRemarks } from "../template/error.ts";
import { workflowPlace } from "./children/workflow-place.ts";
import { WorkflowContext } from "./context/context.ts";
import type { Names } from "./context/scope.ts";
import type { AttemptAdmission, RetriedBy, UnroutedError } from "./contract.ts";
import type { Durable } from "./durable.ts";
import type { FrameEnd, NodeEnd } from "./ends.ts";
import type { Fiber } from "./fiber.ts";
import { Purse } from "./limits/purse.ts";
import type { ReachedLimit } from "./limits/reached.ts";
import { LostMembers } from "./lost-members.ts";
import type { OutcomeCache } from "./outcome-cache.ts";
import type { GateNotice } from "./people/ask.ts";
import { Definitions, type HashWorld } from "./visit/hash.ts";
import { ProducedFiles } from "./visit/produced.ts";
import { RouteRecords } from "./visit/route-records.ts";
import type { Decision } from "./visit/routes.ts";
import type { FrameNode, Member, Work } from "./visit/work.ts";

/** The two places where the interpreter calls itself: given, since modules do not import each other in circles. */
export interface Calls {
  interpret(frame: WorkflowFrame, signal: AbortSignal): Promise<FrameEnd>;
  workOf(frame: WorkflowFrame, step: Step): Work;
}

/** Everything the interpreter is given. */
export interface Engine {
  readonly durable: Durable;
  /** The executor of a step type; the registry of steps. */
  executor(type: string): Executor<never, unknown>;
  readonly world: StepWorld;
  readonly clock: Clock;
  readonly spillDir: string;
  /** The worker that drives, on a fleet. */
  readonly worker?: string;
  readonly hashing: HashWorld;
  readonly rootDir: string;
  /** Whom agents ask, whatever the files say. */
  readonly provider?: string;
  readonly skipGates: boolean;
  /** Who started the run: with `four_eyes` they may not answer. */
  readonly startedBy?: string;
  /** Who resumed it with other inputs or another file: neither may they. */
  readonly changedBy?: readonly string[];
  /** The people that `approvers` stands for: groups are taken apart. All of them as they are written when left out. */
  people?(approvers: readonly string[]): readonly string[];
  /** Called with the secret inputs of a child before it begins: from then on they are shown nowhere. */
  hideSecrets?(secrets: Readonly<Record<string, unknown>>): void | Promise<void>;
  /** Sends a notice that a question waits for an answer. Gives what went wrong; absent in scenarios. */
  notify?(notice: GateNotice): Promise<string | undefined>;
  /** Whether this drive has a person to ask. */
  readonly canAsk?: boolean;
  /** How long earlier drives took: the workflow's time limit goes on counting. */
  readonly activeSecondsBefore: number;
  /** Whether nothing is reused from this node on (`--from STEP`). */
  startsFresh(frame: WorkflowFrame, node: string): boolean;
  /** `--changed-files`: a recorded step runs again when a file that it runs or names has changed. */
  readonly rerunsChangedFiles?: boolean;
  /** `--skip-waits`: what is left of a wait of an earlier drive is not waited for. */
  readonly skipsWaits?: boolean;
  /** Of a drive that runs lost items again. */
  readonly reusedBehind?: ReusedSteps;
  /** Results kept across runs, for steps with `cache:`. */
  readonly cache?: OutcomeCache;
  /** Limits on calls to models, shared by all runs. */
  readonly turns?: CallTurns;
  /** Resilience and policies; absent when no file of the run has any. */
  readonly guard?: VisitGuard;
  /** Keeps now and then where the root stands; absent where a resume could not go on from there. */
  readonly keyframes?: KeyframeKeeper;
  /** Ends a process group that outlived the drive that started it; true when there was one. */
  endOrphan(spawned: { readonly pid: number; readonly started_at: string }): Promise<boolean>;
  /** An error that a scenario wants this attempt to raise instead of running. */
  inject?(node: string, path: readonly string[], attempt: number): Raised | undefined;
  /** The same, when the drive was killed before it could record the process; gives the group that it ended. */
  endAttempt?(idempotencyKey: string): Promise<number | undefined>;
  /** Informed of an exception in an executor: a defect, for the debug log. */
  defect(problem: unknown, node: string): void;
  /** Asked at a limit of the root: how many more? */
  allowMore(reached: ReachedLimit): Promise<number>;
}

/** Where keyframes of a run go (keyframe.ts). */
export interface KeyframeKeeper {
  /** Called before each visit of a node of the root. Gives a promise only where writing takes a while. */
  beforeVisit(frame: WorkflowFrame, node: string, led: LedBy | undefined): void | Promise<void>;
}

/** The error that led to a step, and the step that raised it. */
export interface LedBy {
  readonly error: Envelope;
  readonly from: string;
}

/** The steps behind retried items that were reused (reused-behind.ts). */
export interface ReusedSteps {
  readonly steps: ReadonlySet<string>;
  /** The root's node to start from, so that the first of them runs again. */
  readonly from: string | undefined;
  visitEnded(visit: Visit, end: NodeEnd): void;
}

/** One arrival at a node, made once. Every field is written each time, in this order: a loop makes thousands of them. */
export interface Visit {
  readonly frame: WorkflowFrame;
  readonly work: Work;
  readonly key: string;
  /** Names beside the frame's: loop variables, and the member that a handler runs for. */
  readonly locals: Names;
  /** The error that led here; in scope as `error` in all attempts of this visit. */
  readonly ledBy: Envelope | undefined;
  readonly signal: AbortSignal;
  /** Runs it; absent in a branch that no other may go on in the place of. */
  readonly fiber: Fiber | undefined;
  readonly member: Member | undefined;
  /** How often the node ran already: a member that runs again because its group is retried. */
  readonly attemptsBefore: number;
}

/** What guards visits: resilience and policies (guard/guard.ts). */
export interface VisitGuard {
  /** The admission of one attempt; none for a container that no policy is asked about: what is inside it is guarded. */
  admission(visit: Visit): AttemptAdmission | undefined;
  /** What a call of a step cost, as it is recorded. */
  spent(step: string, usage: EventData<"agent_usage">): void;
  /** A route took the visit's error: what happened inside the node is settled by that. */
  routed(visit: Visit, decision: Decision): Promise<void>;
  /** An error that no route took: true when the step is to run again, after a wait that has passed then. */
  unrouted(visit: Visit, failure: UnroutedError): Promise<false | RetriedBy>;
  /** No route took the visit's error, and no retry is left: it goes up to the group or the caller, if there is one. */
  wentUp(visit: Visit): Promise<void>;
  /** A group ended without the members that it lost: their errors do not reach its callers. */
  continuedWithoutFailures(group: { readonly key: string; readonly signal: AbortSignal }): Promise<void>;
  /** A visit ended, by running or by reuse. */
  visitEnded(visit: Visit, end: NodeEnd, decision: Decision | undefined): void | Promise<void>;
}

export interface FrameOptions {
  readonly calls: Calls;
  readonly maxIterations?: number;
  readonly maxVisits?: number;
  readonly reuse: boolean;
  readonly fiber: Fiber | undefined;
  readonly parent?: WorkflowFrame;
  readonly places?: readonly GroupPlace[];
  readonly item?: unknown;
  readonly lost?: LostMembers;
}

export class WorkflowFrame {
  readonly nodes = new Map<string, FrameNode>();
  readonly works = new Map<Step, Work>();
  readonly context: WorkflowContext;
  readonly definitions: Definitions;
  readonly routeRecords: RouteRecords;
  readonly place: WorkflowPlace;
  /** Absent when the workflow has no budget. */
  readonly purse: Purse | undefined;
  readonly visits = new Map<string, number>();
  /** Budgets of `retry` + `to`, which last for the run: `step:table:route` → used. */
  readonly via = new Map<string, number>();
  readonly lost: LostMembers;
  /** The groups that this workflow is run in, as a member or item of each, outermost first. */
  readonly places: readonly GroupPlace[];
  /** The item that this workflow is run for: that of the innermost of these that is a for_each. */
  readonly item: unknown;
  /** What templates remarked in this drive. */
  readonly remarks = new Set<string>();
  /** The workflow that called this one: its policies hold here too. */
  readonly parent: WorkflowFrame | undefined;
  readonly calls: Calls;
  /** Of all frames of the drive. */
  readonly produced: ProducedFiles;
  /** Runs the visits of this workflow. */
  readonly fiber: Fiber | undefined;
  maxIterations: number;
  /** Of one node. */
  maxVisits: number;
  /** From here on nothing is reused (`--from STEP`, `--force`). */
  reuse: boolean;
  /** No step has really run so far. */
  allReused = true;

  constructor(
    readonly engine: Engine,
    readonly workflow: LoadedWorkflow,
    readonly inputs: Readonly<Record<string, unknown>>,
    /** Names of the sub-workflow slots from the root: `["plan", "build[3]"]`. */
    readonly path: readonly string[],
    /** What this frame's keys begin with: `plan#1/`. */
    readonly prefix: string,
    options: FrameOptions,
  ) {
    this.parent = options.parent;
    this.places = options.places ?? [];
    this.item = options.item;
    this.calls = options.calls;
    this.fiber = options.fiber;
    this.produced = this.parent?.produced ?? new ProducedFiles();
    this.lost = options.lost ?? new LostMembers();
    const { definition, file, dir } = workflow;
    for (const step of definition.agents) this.nodes.set(step.name, { kind: "step", name: step.name, step });
    for (const group of definition.parallel) this.nodes.set(group.name, { kind: "parallel", name: group.name, group });
    for (const group of definition.for_each) this.nodes.set(group.name, { kind: "for_each", name: group.name, group });
    const { name, description, limits } = definition.workflow;
    const names = { input: inputs, name, description: description ?? "", dir, file };
    this.context = new WorkflowContext(names, mayReadHistory(workflow));
    this.definitions = new Definitions(workflow, engine.hashing);
    this.routeRecords = new RouteRecords(workflow);
    this.place = workflowPlace(workflow, engine, this.parent?.place);
    this.purse =
      limits.budget_usd === undefined
        ? undefined
        : new Purse(limits.budget_usd, limits.budget_mode, engine.durable.recall.spentIn(prefix));
    const most = allowedWork(definition, options);
    this.maxIterations = most.iterations;
    this.maxVisits = most.visits;
    this.reuse = options.reuse;
  }

  get name(): string {
    return this.workflow.definition.workflow.name;
  }

  get depth(): number {
    return this.path.length;
  }

  /** The workflow that was started. */
  get root(): WorkflowFrame {
    return this.parent ? this.parent.root : this;
  }

  /** A file without `resilience` has its caller's. That opts no step in: what is an envelope is decided by the file alone. */
  get resilience(): Resilience | undefined {
    return this.workflow.definition.workflow.resilience ?? this.parent?.resilience;
  }

  /** `workflow.error_routes`: read after a step's own. */
  get defaults(): readonly Route[] {
    return this.workflow.definition.workflow.error_routes;
  }

  /** What a step of it runs for: the item of the innermost for_each, here or above. */
  itemOf(member: Member | undefined, locals: Names): unknown {
    const group = this.nodes.get(member?.group ?? "");
    return group?.kind === "for_each" ? (locals[group.group.as] ?? null) : this.item;
  }

  /** The key of the next visit of a node. */
  visitKey(node: string): string {
    const visit = (this.visits.get(node) ?? 0) + 1;
    this.visits.set(node, visit);
    return visitKey(this.prefix, node, visit);
  }

  /** Before a node: what `context.max_tokens` leaves no room for is dropped. */
  trimContext(node: string): void {
    const { engine, context, path, workflow } = this;
    const { max_tokens, trim_strategy: strategy = "drop_oldest" } = workflow.definition.workflow.context;
    if (max_tokens === undefined) return;
    const { trimsAsConductor } = workflow.definition.semantics;
    const dropped = [...context.trim(max_tokens, strategy, trimsAsConductor)];
    if (dropped.length > 0) engine.durable.note(path, "context_trimmed", { agent_name: node, strategy, dropped });
  }
}

/** Runs what renders templates of a node, or of the workflow itself. Each remark of theirs is a warning, once in a drive. */
export function remarked<T>(frame: WorkflowFrame, node: string | null, render: () => T): T {
  return withRemarks((message) => {
    const key = `${node ?? ""}|${message}`;
    if (frame.remarks.has(key)) return;
    frame.remarks.add(key);
    frame.engine.durable.note(frame.path, "warning", { node, message });
  }, render);
}

/** A glance at the files' text: that it says yes too often costs little. */
const HISTORY = /history|context(?!\s*[._]\s*iteration)/;
const answers = new WeakMap<LoadedWorkflow, boolean>();

/** Whether any template of a workflow may read the history of its steps: it is copied only for those who might. */
function mayReadHistory(workflow: LoadedWorkflow): boolean {
  let answer = answers.get(workflow);
  if (answer === undefined) {
    answer = [...workflow.sources.values()].some((text) => HISTORY.test(text));
    answers.set(workflow, answer);
  }
  return answer;
}
