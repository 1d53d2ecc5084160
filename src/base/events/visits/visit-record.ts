// What is known of one visit: where it is, its attempts in all drives, and all that happened to it. `visit-fold.ts` fills
// it in; nothing else writes to it.
import type { Envelope } from "../../errors/index.ts";
import type { EventData, RunEvent } from "../registry.ts";
import type { RunEndEvent } from "../run-end.ts";
import type { FileDigest, ListedChanges } from "../step-files.ts";
import type { LastOutcome, PastFailure, RecordedAnswer, RecordedBranch, RecordedQuestion } from "./recorded.ts";

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** What is made of events, by their types. */
export type Hears = {
  readonly [Type in RunEvent["type"]]?: (
    event: Extract<RunEvent, { readonly type: Type }>,
    moment: MomentOfDrive,
  ) => void;
};

/** When something happened. */
export interface MomentOfDrive {
  readonly drive: number;
  readonly seq: number;
  readonly at: string;
}

export interface VisitRecord {
  readonly key: string;
  readonly node: string;
  readonly path: readonly string[];
  /** Its latest; empty until an attempt or a reuse names it. */
  type: string;
  /** Of a member or an item. */
  group: string | undefined;
  itemKey: string | undefined;

  /** Of all drives, in order. */
  attempts: readonly AttemptRecord[];
  retries: readonly RetryRecord[];
  /** How many are over: an unhandled failure of the run ended them, and a new visit under the same key followed. */
  over: { readonly attempts: number; readonly retries: number };

  outcome: OutcomeRecord | undefined;
  /** How the attempt before the latest one failed, if it was of the same visit. */
  earlier: OutcomeRecord | undefined;
  pendingRetry: RetryRecord | undefined;
  failures: PastFailure[] | undefined;
  process: { readonly pid: number; readonly started_at: string } | undefined;
  /** Files that its last attempt ran or named and did not change itself, as they were before it. */
  files: readonly FileDigest[] | undefined;
  /** In which its agent works, until the attempt ends by itself. */
  session: { readonly id: string; readonly provider: string } | undefined;
  waitingSince: number | undefined;
  /** A call of its last attempt waits for this breaker. `isAll`: the attempt has done nothing else. */
  held: { readonly breaker: string; readonly since: number; readonly isAll: boolean } | undefined;
  /** The same, of an attempt that has no end yet. */
  waitLeftSince: number | undefined;
  /** What was asked last has no answer yet; `at`: when it was asked first, unless that was in the run's first drive. */
  asked: { readonly at: string | undefined } | undefined;
  /** Until when an answer to what was asked last counts, in epoch milliseconds. */
  deadline: number | undefined;
  /** A notice that it waits was sent. */
  isNotified: true | undefined;
  question: RecordedQuestion | undefined;
  /** The questions of a list that were asked last, by id, each as `questionText` writes it. */
  questions: ReadonlyMap<string, string> | undefined;
  answer: RecordedAnswer | undefined;
  branches: Map<string, RecordedBranch> | undefined;
  /** Of what an agent asks a person to allow: the visit that asks. It has a key of its own, and is no visit of a step. */
  askedBy: VisitRecord | undefined;

  /** What only readers of the past look at; a resume does without. */
  readonly history: VisitHistory | undefined;
}

/** One execution. One that began and never ended was cut off. */
export interface AttemptRecord {
  readonly drive: number;
  readonly number: number;
  /** The step's type in that drive: a file may be edited in between. */
  readonly type: string;
  began: MomentOfDrive | undefined;
  ended: MomentOfDrive | undefined;
  end: "ok" | "failed" | "cancelled" | undefined;
  /** Digest of the definition that it ran with; this and what follows only where history is kept. */
  definition: string | undefined;
  /** The event that ended it. Without an output that went well: it may be large, and a visit has it as its outcome. */
  ending: AttemptEnding | undefined;
  /** Of an agent that works in a folder: what it changed there. */
  changes: ListedChanges | undefined;
  /** The command of its process. */
  command: string | undefined;
}

export type AttemptEnding = Extract<
  RunEvent,
  { readonly type: "agent_completed" | "agent_failed" | "agent_cancelled" }
>;

export type OutcomeRecord = Writable<Omit<LastOutcome, "escalatedOrKept">> & { escalatedOrKept?: true | undefined };

export interface RetryRecord extends MomentOfDrive {
  readonly scheduled: EventData<"retry_scheduled">;
}

/** Lists are in order of time. Most stay empty, and those are all the same one: `keep` adds to them. */
export interface VisitHistory {
  /** The visit of the group, or of the step that called the sub-workflow, that it belongs to; none in the root's file. */
  parent: VisitRecord | undefined;
  /** Times at which an earlier outcome was taken over: links to it, no attempts. */
  reuses: readonly ReuseRecord[];
  errors: readonly (MomentOfDrive & { readonly error: Envelope })[];
  readings: readonly RouteReading[];
  recoveries: readonly (MomentOfDrive & { readonly by: string })[];
  /** Routes that led on from it, of successes and errors. */
  routes: readonly (MomentOfDrive & { readonly route: EventData<"route_taken"> })[];
  asked: readonly MomentOfDrive[];
  /** Of an agent: what it asked a person to allow. */
  requests: readonly RequestRecord[];
  /** `option`: of a gate; a list of questions has answers instead. */
  answers: readonly (MomentOfDrive & { readonly option?: string })[];
  /** Times at which reminders were sent. */
  reminders: readonly MomentOfDrive[];
  /** Of a group, for each drive: how many members it has, and the states of those that began. */
  members: readonly MembersRecord[];
  /** Of a group: how many members it lost, each time that it ended. */
  groupEnds: readonly (MomentOfDrive & { readonly lost: number })[];
  /** Of a sub-workflow, for each drive: what ran in its latest child. */
  children: readonly ChildrenRecord[];
}

/** Asked when it says; asked again by a later drive, it is another one of that drive. */
export interface RequestRecord extends MomentOfDrive {
  readonly key: string;
  readonly prompt: string;
  answer: (MomentOfDrive & { readonly option: string; readonly by: string }) | undefined;
}

export interface ChildrenRecord {
  readonly drive: number;
  visits: VisitRecord[];
}

export interface ReuseRecord extends MomentOfDrive {
  readonly type: string;
  /** Of a failure that a route had taken. */
  readonly kind: string | undefined;
  /** The run whose outcome it is, when it is not this one. */
  readonly fromRun: string | undefined;
}

export type Considered = Readonly<Record<string, unknown>>;

/** The routes as they were read for an error. */
export interface RouteReading extends MomentOfDrive {
  readonly considered: readonly Considered[];
  /** Absent: no route took it. */
  readonly routed: EventData<"error_routed"> | undefined;
  /** Why reading stopped: a condition could not be evaluated. */
  problem: string | undefined;
  /** When the step that it led to got to its end. */
  handled: MomentOfDrive | undefined;
}

export type MemberStatus = "running" | "completed" | "reused" | "failed" | "recovered" | "cancelled";

export interface MembersRecord {
  readonly drive: number;
  count: number;
  /** By member or item, in the order in which they began. */
  readonly states: Map<string, MemberStatus>;
}

/** One process's stretch of the run. */
export interface DriveRecord {
  readonly number: number;
  readonly began: Extract<RunEvent, { readonly type: "workflow_started" | "run_resumed" }>;
  end: RunEndEvent | undefined;
  /** Of one that went on from a keyframe: the number of the last event before that. */
  from: number | undefined;
  /** Of its last event. */
  lastAt: string;
  /** What was begun or reused in it, each visit once, in order; only where history is kept. */
  readonly visits: Iterable<VisitRecord>;
}

type Place = Pick<VisitRecord, "key" | "node" | "path">;

export const newVisit = ({ key, node, path }: Place, keepsHistory: boolean): VisitRecord => ({
  key,
  node,
  path,
  type: "",
  group: undefined,
  itemKey: undefined,
  attempts: NONE,
  retries: NONE,
  over: NOTHING_OVER,
  outcome: undefined,
  earlier: undefined,
  pendingRetry: undefined,
  failures: undefined,
  process: undefined,
  files: undefined,
  session: undefined,
  waitingSince: undefined,
  held: undefined,
  waitLeftSince: undefined,
  asked: undefined,
  deadline: undefined,
  isNotified: undefined,
  question: undefined,
  questions: undefined,
  answer: undefined,
  branches: undefined,
  askedBy: undefined,
  history: keepsHistory ? newHistory() : undefined,
});

const NOTHING_OVER: VisitRecord["over"] = { attempts: 0, retries: 0 };

const NONE: readonly never[] = Object.freeze([]);

const newHistory = (): VisitHistory => ({
  parent: undefined,
  reuses: NONE,
  errors: NONE,
  readings: NONE,
  recoveries: NONE,
  routes: NONE,
  asked: NONE,
  requests: NONE,
  answers: NONE,
  reminders: NONE,
  members: NONE,
  groupEnds: NONE,
  children: NONE,
});

/** Adds to a list of facts, and gives it back. A list of one is made as long as it is: most visits have one attempt. */
export function keep<Fact>(facts: readonly Fact[], fact: Fact): readonly Fact[] {
  if (facts === NONE) return [fact];
  (facts as Fact[]).push(fact);
  return facts;
}

/** The visit is over; a resume begins a new one under the same key. What was tried stays counted. */
export function endVisit(visit: VisitRecord): void {
  visit.over = { attempts: visit.attempts.length, retries: visit.retries.length };
  visit.earlier = undefined;
  visit.pendingRetry = undefined;
  visit.failures = undefined;
}

/** Nothing of it is reused any more. */
export function forget(visit: VisitRecord): void {
  endVisit(visit);
  visit.outcome = undefined;
  visit.answer = undefined;
  visit.branches = undefined;
  endWaits(visit);
}

/** Nothing is waited for any more, and no agent is at work. */
export function endWaits(visit: VisitRecord): void {
  visit.waitingSince = undefined;
  visit.held = undefined;
  visit.waitLeftSince = undefined;
  visit.asked = undefined;
  visit.deadline = undefined;
  visit.isNotified = undefined;
  visit.session = undefined;
}

/** The facts of one drive. */
export const inDrive = <Fact extends { readonly drive: number }>(facts: readonly Fact[], drive: number): Fact[] =>
  facts.filter((fact) => fact.drive === drive);

/** The last fact of a drive. */
export const lastIn = <Fact extends { readonly drive: number }>(
  facts: readonly Fact[],
  drive: number,
): Fact | undefined => facts.findLast((fact) => fact.drive === drive);

/** Whether it was the step's own: a retry by way of another step leads to a new visit. */
export const isPlain = ({ scheduled }: RetryRecord): boolean => scheduled.via === undefined;

/** Each is a fresh child of a `workflow` step, and a new round of a group. */
export const plainRetries = (retries: readonly RetryRecord[]): number => retries.filter(isPlain).length;
