// A visit's attempts as they begin and end, and the processes that they started.

import { isContainer } from "../node-types.ts";
import type { EventData } from "../registry.ts";
import {
  type AttemptEnding,
  type AttemptRecord,
  endVisit,
  keep,
  lastIn,
  type MomentOfDrive,
  type VisitRecord,
} from "./visit-record.ts";

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

/**
 * It counts from the first again: it was edited, or what it reads was. A container may only be entered again, unless it was
 * to be retried.
 */
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
