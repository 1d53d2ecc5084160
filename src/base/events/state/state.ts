// What is known of a run, folded from its events: the one state that results, `show`, the live tree and the dashboard read.
// It holds the latest of each step, never a history, so that a run of 50 000 steps is no larger than one of 50.
import type { Envelope } from "../../errors/index.ts";
import type { NodeAction, StepStatus } from "../node-types.ts";
import type { EventData } from "../registry.ts";
import type { ListedChanges } from "../step-files.ts";
import type { TakenRoute } from "../taken-routes.ts";

export type Outline = EventData<"workflow_started">["outline"];
export type OutlineNode = Outline["nodes"][number];

export type RunStatus = "running" | "completed" | "degraded" | "terminated" | "failed" | "paused" | "cancelled";

export interface RunState {
  readonly runId: string;
  status: RunStatus;
  /** Its process is gone and recorded no end. No event says so: `cutOff` does, for those who know. */
  readonly isCutOff?: true;
  /** Number of the last event that was applied; 0 before the first. */
  seq: number;
  /** Time of the first and of the last event, as written in them. */
  startedAt: string | null;
  lastAt: string | null;
  /** How often the run was driven: 1 after `workflow_started`, one more with each resume. */
  drives: number;
  driveStartedAt: string | null;
  /**
   * The latest drive with `--force` or `--from`, or that ran a step: what earlier ones completed and it did not come to is
   * not built on. 0 without one.
   */
  startedAnew: number;
  /** Milliseconds of the drives before this one; see `activeMs`. */
  activeBeforeMs: number;
  /** Between this drive and one that was left in its middle: a wait that goes on now has lasted meanwhile. */
  leftForMs: number;
  inputs: Readonly<Record<string, unknown>>;
  /** Which of the inputs are secret: what stands for them is a placeholder. */
  hiddenInputs: readonly string[];
  definitionHash: string;
  /** What files of each dialect mean in this run; empty of a run that was begun under 0.3. */
  semantics: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** What the run is called. */
  runName: string | null;
  /** The eval that the run is a row of. */
  evalId: string | null;
  /** A scenario answers for the world. */
  isRehearsal: boolean;
  /** The provider that overrides the files', if one was chosen. */
  provider: string | null;
  /** A person, or what started the run; null where the journal does not say. */
  startedBy: string | null;
  /** The person who set off the trigger that started it, where one did. */
  firedBy: string | null;
  /** Who resumed it, or the run that it follows, with other inputs or another file. */
  changedBy: readonly string[];
  /** The root file's workflow; sub-workflows are frames below its nodes. */
  readonly root: FrameState;
  /** Executions of steps, all attempts, all sub-workflows, over all drives. */
  executions: number;
  /** The workflow's output, when it ended with one. */
  output: unknown;
  termination: Termination | null;
  failure: Failure | null;
  cancelled: {
    readonly reason: string;
    readonly node: string | null;
    /** Who asked for it, where that is known. */
    readonly by?: string;
  } | null;
  /** Open questions by key, in the order they were asked. */
  readonly gates: Map<string, PendingGate>;
  /** What went wrong without ending the run; the latest of each place. Read them through `currentWarnings`. */
  readonly warnings: Map<string, Warning>;
  readonly usage: Usage;
  readonly usageByModel: Map<string, Usage>;
  /** By step, each below the steps and groups that it is in: `deploy/upload`. */
  readonly stepFigures: Map<string, StepFigures>;
  /** Breakers whose state changed during this drive. */
  readonly breakers: Map<string, "open" | "half_open" | "closed">;
  /** Steps that were reused although lost items before them ran again, and where to start so that the first of them runs. */
  reusedBehind: { readonly steps: readonly string[]; readonly from: string } | null;
  /** Open dead letters of the run by id, with the step they are about. */
  readonly letters: Map<string, string>;
}

/** A workflow being driven: the root's, or that of a `type: workflow` step. */
export interface FrameState {
  /** Name of the workflow and its file, as the events say. */
  name: string;
  file: string;
  readonly slot: string | null;
  outline: Outline;
  status: "running" | "completed" | "failed";
  degraded: boolean;
  termination: Termination | null;
  /** Steps and groups that were touched, by name. What is in the outline and not here never ran. */
  readonly nodes: Map<string, NodeState>;
  /** Sub-workflows by slot: one for each `type: workflow` step or item, the latest. */
  readonly frames: Map<string, FrameState>;
  /** Nodes, members and items by the key of their latest visit. */
  readonly byKey: Map<string, NodeState>;
  /** Names of steps that report `agent_usage`. */
  readonly metered: Set<string>;
  /** The node whose error was raised last. */
  lastFailed: string | null;
  /** The drive that entered it last: what it has from earlier ones is not part of its course any more. */
  drive: number;
}

/** A step, a group, or a member or item of a group. */
export interface NodeState {
  name: string;
  type: string;
  /** As of `drive`; a node that its frame's drive has not reached is not executed. Read it through `statusOf`. */
  status: StepStatus;
  /** The drive that touched it last. */
  drive: number;
  /** Key of the latest visit. */
  key: string | null;
  /** Of the latest visit. */
  attempts: number;
  /** How often it was tried again after an error: on its latest visit, by the drive that ran it last. */
  retries: number;
  startedAt: string | null;
  /** Sum over all attempts. */
  elapsedMs: number;
  cached: boolean;
  repaired: boolean;
  /** Of a script that counts as done though it exited with another code than 0. */
  exitCode: number | null;
  /** Of an agent that works in a folder: what its latest attempt says it changed there. */
  changes: ListedChanges | null;
  hash: string | null;
  action: NodeAction | null;
  /** The latest error; gone after a later success. */
  error: Envelope | null;
  /** The step that a route handed its error to, until that has got to its end. */
  handedTo: string | null;
  /** Of a failed attempt: what the process said, tails only. */
  shell: Shell | null;
  /** A retry that is being waited for. */
  retry: PendingRetry | null;
  /** The breaker that a call of it waits for, and until when at the latest. */
  hold: { readonly breaker: string; readonly until: string } | null;
  usage: Usage | null;
  frame: FrameState | null;
  group: GroupState | null;
  /** The group that it is a member of. */
  readonly owner: GroupState | null;
  /** Of an item of a for_each. */
  itemKey: string | null;
  index: number | null;
  way: ItemWay | null;
}

/** Where the errors of one item led on its latest visit: routes of a run are counted over all items. */
export interface ItemWay {
  /** As with nodes: what an earlier drive left is not part of the run's course. */
  readonly drive: number;
  readonly routes: readonly ItemRoute[];
  /** What ran in its place, the latest of each step. */
  readonly standIns: readonly StandIn[];
}

export type ItemRoute = Pick<TakenRoute, "from" | "to" | "table" | "index" | "action">;

export type StandIn = Readonly<Pick<NodeState, "name" | "type" | "status" | "attempts" | "cached" | "retry">>;

export interface GroupState {
  readonly name: string;
  readonly kind: "parallel" | "for_each";
  key: string;
  /** How often it was tried again as a whole. */
  rounds: number;
  drive: number;
  /** Name of a for_each's inline step. */
  readonly itemName: string | null;
  count: number;
  /** How many members are in which state; what is left of `count` has not begun, waits, or was cancelled. */
  succeeded: number;
  failed: number;
  recovered: number;
  running: number;
  /** Members by name, items by item key, in the order they are listed or began. */
  readonly members: Map<string, NodeState>;
  /** Of the members that failed on this visit, by name or item key, in order of time. */
  readonly failures: Map<string, MemberFailure>;
}

export interface MemberFailure {
  readonly node: string;
  readonly itemKey: string | null;
  readonly error: Envelope;
  /** Its group went on without it in an earlier drive, and does so again. */
  readonly isReused?: boolean | undefined;
}

export interface Shell {
  command: string | null;
  exitCode: number | null;
  stdout: string | null;
  stderr: string | null;
}

export interface PendingRetry {
  /** ISO time. */
  readonly until: string;
  readonly attempt: number;
  /** Which of the retries that its route, or the policy, allows. */
  readonly nth: number;
  /** Null: as often as needed. */
  readonly max: number | null;
  /** It waits for a provider's limit to be reset. */
  readonly isReset: boolean;
  readonly kind: string;
  readonly via: string | null;
}

export interface Termination {
  readonly status: "success" | "failed";
  readonly reason: string;
  readonly terminatedBy: string;
}

/** How the run failed. `error` is absent for endings that are no envelope (limits, timeout, a failed terminate). */
export interface Failure {
  readonly errorType: string;
  readonly message: string;
  readonly node: string | null;
  /** The sub-workflow that the node is in; nothing for the root. */
  readonly path: readonly string[];
  readonly error: Envelope | null;
  readonly errorsJsonl: string | null;
  readonly resumable: boolean;
}

export interface PendingGate {
  readonly key: string;
  readonly node: string;
  readonly path: readonly string[];
  readonly kind: "gate" | "questions";
  readonly prompt: string;
  readonly options: readonly PendingOption[];
  readonly questions: readonly Readonly<Record<string, unknown>>[];
  /** Whose answer counts, and whose does not; absent where everybody's does. */
  readonly approvers?: readonly string[];
  readonly not_by?: readonly string[];
  /** ISO time until when an answer counts. */
  readonly deadline?: string;
}

export type PendingOption = Readonly<EventData<"gate_presented">["options"][number]>;

export interface Warning {
  readonly kind:
    | "recovered"
    | "lost_member"
    | "errors_jsonl"
    | "budget"
    | "hook"
    | "escalation"
    | "changed_files"
    | "note";
  readonly node: string | null;
  /** The visit that raised the error; absent where none is known. */
  readonly key?: string | null;
  readonly path: readonly string[];
  readonly message: string;
  readonly error: Envelope | null;
  /** Of a member: its group, and the item. */
  readonly group: string | null;
  readonly itemKey: string | null;
  /** Who handled it: the step that a route led to. */
  readonly by: string | null;
  readonly shell: Shell | null;
  /** Of an entry that several lost members share, since each having its own would be too many: how many they are. */
  readonly members?: number;
  /** How often this place had it. */
  readonly count: number;
  readonly drive: number;
}

/** What a step came to in a run, over all drives. */
export interface StepFigures {
  ms: number;
  /** Null: no call to a model that could be priced. */
  costUsd: number | null;
  /** Of the errors that it raised, whether or not they were handled. */
  readonly kinds: Set<string>;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  /** What could be priced. */
  costUsd: number;
  /** Models whose price is not known; empty when `costUsd` is the whole truth. */
  readonly unpriced: Set<string>;
  /** Models whose cost is an estimate. */
  readonly estimated: Set<string>;
}
