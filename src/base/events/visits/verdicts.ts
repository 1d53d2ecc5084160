// What the facts of visits mean: which drives were cut off, which failures are handled and which are still open. Of the last
// drive no event says that it was cut off: the caller does, if it knows that no process drives the run any more.
import type { Envelope } from "../../errors/index.ts";
import { enclosingKeys, nodePath } from "../key.ts";
import { goesOnAfterPause } from "../node-types.ts";
import type { EventData } from "../registry.ts";
import { statusAfter } from "../run-end.ts";
import type { LastOutcome } from "./recorded.ts";
import {
  type AttemptRecord,
  type DriveRecord,
  endVisit,
  lastIn,
  type RouteReading,
  type VisitRecord,
} from "./visit-record.ts";

export interface Driven {
  readonly drives: readonly DriveRecord[];
  /** No process drives the run, and its last drive has no end. */
  readonly isCutOff: boolean;
}

export function wasCutOff({ drives, isCutOff }: Driven, drive: number): boolean {
  const driven = drives[drive - 1];
  return driven !== undefined && driven.end === undefined && (isCutOff || drive < drives.length);
}

type Resumed = Pick<EventData<"run_resumed">, "by" | "answers" | "inputs_changed" | "file_changed" | "changed_files">;

/** A person who resumes a run with other inputs, another file or changed scripts counts as its starter does. */
export const changersIn = ({
  by,
  answers,
  inputs_changed,
  file_changed,
  changed_files = false,
}: Resumed): readonly string[] =>
  by !== undefined && !answers && (inputs_changed.length > 0 || file_changed || changed_files) ? [by] : [];

// Until when a step worked that a pause left without an end: an agent that asks to be allowed something may have worked for
// hours before it did.

/** Nothing of an attempt that ended, or that only waited and is gone on with. */
export function pausedAt(
  { history }: VisitRecord,
  { end, type, drive }: AttemptRecord,
  drives: readonly DriveRecord[],
): string | undefined {
  const pause = drives[drive - 1]?.end;
  if (end !== undefined || pause?.type !== "run_paused" || goesOnAfterPause(type)) return undefined;
  const asked = history?.requests.findLast((request) => request.drive === drive);
  return asked && !asked.answer ? asked.at : pause.ts;
}

/** Whether the error of its last attempt was taken by a route, and handled, or may yet be. */
export function isRecovered(visit: VisitRecord, driven: Driven): boolean {
  const last = visit.attempts.at(-1);
  const since = last?.began?.seq ?? 0;
  const { recoveries = [], readings = [] } = visit.history ?? {};
  const isTaken =
    recoveries.some(({ seq }) => seq >= since) ||
    readings.some(({ seq, routed }) => seq >= since && routed?.to !== undefined);
  return last?.end === "failed" && isTaken && letDownBy(visit, driven) === undefined;
}

/**
 * The step that its error was handed to, and that did not get to its end; undefined: it did, or may yet, or there is none.
 *
 * @param drive as it stood when that drive was over; left out: as it stands now
 */
export function letDownBy(visit: VisitRecord, driven: Driven, drive?: number): string | undefined {
  const { readings = [], reuses = [] } = visit.history ?? {};
  const reading = drive === undefined ? readings.at(-1) : lastIn(readings, drive);
  const to = reading?.routed?.to;
  if (!reading || to === undefined) return undefined;
  const latest = drive ?? Math.max(reading.drive, reuses.at(-1)?.drive ?? 0);
  if (reading.handled && reading.handled.drive <= latest) return undefined;
  return isGivenUp(driven, latest) || isGivenUpAround(visit, reading) ? to : undefined;
}

function isGivenUp(driven: Driven, drive: number): boolean {
  const end = driven.drives[drive - 1]?.end;
  if (!end) return wasCutOff(driven, drive);
  const status = statusAfter(end);
  return status === "failed" || status === "cancelled";
}

/** The group or sub-workflow that it is in went on without it, or failed. */
function isGivenUpAround({ history, node, itemKey }: VisitRecord, { seq }: RouteReading): boolean {
  const parent = history?.parent;
  if (!parent) return false;
  if (parent.history?.members.at(-1)?.states.get(itemKey ?? node) === "failed") return true;
  return parent.attempts.some(({ ended, end }) => ended !== undefined && ended.seq > seq && end !== "ok");
}

/** Failures of these ends are settled: a resume does not make them anew. */
const SETTLED: ReadonlySet<LastOutcome["routed"]> = new Set(["to", "again", "retry", "group"]);

/** Failures that are not handled yet: what settles one, and what becomes of those that are left when the run fails. */
export class OpenFailures {
  /** Visits whose last attempt failed, or whose routes could not be read. */
  readonly #visits = new Set<VisitRecord>();
  /** By sub-workflow visit: the error inside it that was kept as a letter or escalated last. */
  readonly #escalatedOrKeptInside = new Map<string, Envelope | undefined>();

  ended(visit: VisitRecord): void {
    if (visit.outcome?.ok) {
      this.#visits.delete(visit);
      visit.failures = undefined;
    } else this.#visits.add(visit);
  }

  raised(visit: VisitRecord, key: string | undefined, error: Envelope): void {
    const { outcome } = visit;
    // After a success it is about the routes: the outcome stays, and the routes are read again.
    if (outcome && !outcome.ok) {
      outcome.error = error;
      // Recorded again, it is open again: its routes are others than when it was settled.
      outcome.routed = undefined;
      if (this.#wasEscalatedOrKeptInside(key, error)) outcome.escalatedOrKept = true;
      // An error whose routes a resume had to read is recorded again; it is one failure.
      const { attempts, kind, message } = error;
      visit.failures ??= [];
      if (visit.failures.at(-1)?.attempts !== attempts) visit.failures.push({ attempts, kind, message });
    }
    this.#visits.add(visit);
  }

  settle(visit: VisitRecord | undefined, routed: LastOutcome["routed"]): void {
    if (!visit) return;
    if (visit.outcome && !visit.outcome.ok) visit.outcome.routed = routed;
    if (SETTLED.has(routed)) this.#visits.delete(visit);
  }

  /** A group went on, or was led away from: the failures of its members are settled. */
  settleMembers(path: readonly string[], group: string): void {
    const place = nodePath(path, group);
    for (const visit of this.#visits)
      if (visit.group === group && nodePath(visit.path, group) === place) this.settle(visit, "group");
  }

  /** It was kept as a letter, or escalated; undefined: that did not work. */
  escalateOrKeep(visit: VisitRecord | undefined, escalatedOrKept: true | undefined): void {
    const outcome = visit?.outcome;
    if (!outcome || outcome.ok) return;
    outcome.escalatedOrKept = escalatedOrKept;
    // It may cross into the parents, who are to leave it alone then.
    for (const outer of enclosingKeys(visit.key))
      this.#escalatedOrKeptInside.set(outer, escalatedOrKept && outcome.error);
  }

  #wasEscalatedOrKeptInside(key: string | undefined, { kind, raised_at }: Envelope): boolean {
    const inner = key === undefined ? undefined : this.#escalatedOrKeptInside.get(key);
    return inner?.kind === kind && JSON.stringify(inner.raised_at) === JSON.stringify(raised_at);
  }

  /** The run failed with an unhandled error: a resume begins new visits under the same keys. */
  endAll(): void {
    for (const visit of this.#visits) endVisit(visit);
    this.#visits.clear();
  }
}
