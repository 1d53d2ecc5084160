// A visit's attempts as they begin and end, the processes that they started, and what happened to it, for readers of the past.
// Without history only how the branches of a group ended is noted: a resume needs that.
import type { Envelope } from "../../errors/index.ts";
import { isContainer } from "../node-types.ts";
import type { EventData } from "../registry.ts";
import {
  type AttemptEnding,
  type AttemptRecord,
  type Considered,
  endVisit,
  keep,
  lastIn,
  type MemberStatus,
  type MomentOfDrive,
  plainRetries,
  type VisitHistory,
  type VisitRecord,
} from "./visit-record.ts";

type Found = VisitRecord | undefined;
type FactList = Exclude<keyof VisitHistory, "parent">;

/** Adds to a list of a visit's history, where one is kept. */
export function keepFact<List extends FactList>(visit: Found, list: List, fact: VisitHistory[List][number]): void {
  const history = visit?.history;
  if (history) history[list] = keep<typeof fact>(history[list], fact) as VisitHistory[List];
}

export function keepReading(
  visit: Found,
  considered: readonly Considered[],
  routed: EventData<"error_routed"> | undefined,
  moment: MomentOfDrive,
): void {
  keepFact(visit, "readings", { ...moment, considered, routed, problem: undefined, handled: undefined });
}

/** The step that its error was handed to got to its end. */
export function keepHandled(visit: Found, moment: MomentOfDrive): void {
  const reading = visit?.history?.readings.at(-1);
  if (reading?.routed?.to !== undefined) reading.handled ??= moment;
}

/** An error that replaced the one whose routes were being read: a condition could not be evaluated. */
export function keepProblem(visit: Found, error: Envelope | undefined, { drive }: MomentOfDrive): void {
  if (!visit?.history || !error?.cause) return;
  const reading = lastIn(visit.history.readings, drive);
  const first = lastIn(visit.history.errors, drive)?.error;
  if (!reading || reading.routed || !first) return;
  const isAbout = error.cause.kind === first.kind && error.cause.message === first.message;
  if (isAbout && error.message !== first.message) reading.problem = error.message;
}

/** A group began, or was entered again: in each drive its members are counted anew. */
export function groupBegan(group: Found, count: number, drive: number): void {
  if (!group?.history) return;
  const known = lastIn(group.history.members, drive);
  if (known) known.count = count;
  else keepFact(group, "members", { drive, count, states: new Map() });
}

/** A branch that is reused is recorded again; the round in which it really ended is the first. */
export function branchEnded(
  group: Found,
  branch: string,
  status: "completed" | "recovered" | "failed",
  { drive }: MomentOfDrive,
): void {
  if (!group) return;
  const ok = status !== "failed";
  group.branches ??= new Map();
  if (!ok || !group.branches.get(branch)?.ok)
    group.branches.set(branch, { ok, round: plainRetries(group.retries) + 1 });
  keepMember(group, branch, status, drive);
}

export function keepMember(group: Found, name: string, status: MemberStatus, drive: number): void {
  const states = group?.history && lastIn(group.history.members, drive)?.states;
  // That a reused member completed is recorded too.
  if (states && !(states.get(name) === "reused" && status === "completed")) states.set(name, status);
}

/** A sub-workflow began: a retry of its step is a fresh child. */
export function childBegan(caller: VisitRecord, drive: number): void {
  if (!caller.history) return;
  const known = lastIn(caller.history.children, drive);
  if (known) known.visits = [];
  else keepFact(caller, "children", { drive, visits: [] });
}

const ENDS = { agent_completed: "ok", agent_failed: "failed", agent_cancelled: "cancelled" } as const;

type Numbered = Pick<AttemptEnding["data"], "attempt" | "agent_type">;

export function attemptBegan(visit: VisitRecord, data: Numbered, began: MomentOfDrive): void {
  if (isAnew(visit, data)) endVisit(visit);
  else if (visit.attempts.length > visit.over.attempts && visit.outcome?.ok === false) visit.earlier = visit.outcome;
  visit.attempts = keep(visit.attempts, newAttempt(began.drive, data, began));
}

/** Another run's outcome stood for an attempt: a resume counts it as one. */
export function attemptTakenOver(visit: VisitRecord, data: Numbered, ended: MomentOfDrive): void {
  if (isAnew(visit, data)) endVisit(visit);
  visit.attempts = keep(visit.attempts, { ...newAttempt(ended.drive, data, undefined), ended, end: "ok" });
}

/** It counts from the first again, since it was edited. A container may only be entered again, unless it was to be retried. */
function isAnew({ attempts, over, outcome, earlier }: VisitRecord, { attempt, agent_type }: Numbered): boolean {
  const ended = attempts.slice(over.attempts).findLast(({ end }) => end === "ok" || end === "failed");
  if (ended === undefined) return false;
  const mayBeEntered = isContainer(agent_type) && (outcome ?? earlier)?.routed !== "again";
  return mayBeEntered ? attempt < ended.number : attempt <= ended.number;
}

/** Ends the attempt that runs; one whose beginning is not known is made here, so that a fold may begin anywhere. */
export function attemptEnded(visit: VisitRecord, event: AttemptEnding, ended: MomentOfDrive): AttemptRecord {
  const { attempt: number } = event.data;
  const last = visit.attempts.length > visit.over.attempts ? lastIn(visit.attempts, ended.drive) : undefined;
  const isRunning = last?.number === number && last.end === undefined;
  const attempt = isRunning ? last : newAttempt(ended.drive, event.data, undefined);
  if (!isRunning) visit.attempts = keep(visit.attempts, attempt);
  attempt.ended = ended;
  attempt.end = ENDS[event.type];
  return attempt;
}

/** Its work went well, and then its routes could not be read: that is its own failure. What it gave is still there. */
export function routesRaised(visit: VisitRecord, { drive }: MomentOfDrive): void {
  const last = lastIn(visit.attempts, drive);
  if (last?.end === "ok") last.end = "failed";
}

const newAttempt = (drive: number, data: Numbered, began: MomentOfDrive | undefined): AttemptRecord => ({
  drive,
  number: data.attempt,
  type: data.agent_type,
  began,
  ended: undefined,
  end: undefined,
  definition: undefined,
  ending: undefined,
  changes: undefined,
  command: undefined,
});

/** Whether the visit was begun, or its outcome reused, in that drive. */
export const isVisitedIn = ({ attempts, history }: VisitRecord, drive: number): boolean =>
  lastIn(attempts, drive) !== undefined || (history !== undefined && lastIn(history.reuses, drive) !== undefined);

/** Processes that may still run: a resume ends those that outlived their driver. */
export class VisitProcesses {
  readonly #byPid = new Map<number, VisitRecord>();

  spawned(visit: VisitRecord, { pid, started_at }: EventData<"script_spawned">): void {
    visit.process = { pid, started_at };
    this.#byPid.set(pid, visit);
  }

  orphanEnded(pid: number): void {
    this.ended(this.#byPid.get(pid));
  }

  ended(visit: VisitRecord | undefined): void {
    if (!visit?.process) return;
    this.#byPid.delete(visit.process.pid);
    visit.process = undefined;
  }
}
