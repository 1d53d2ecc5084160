// Whether a route that took an error has handled it: only if the step that it led to got to its end. As long as that
// step can be continued, it may yet; after that the error stands, and the step that raised it has failed.
import { statusAfter } from "../run-end.ts";
import { type Driven, wasCutOff } from "./cut-off.ts";
import { lastIn, type RouteReading, type VisitRecord } from "./visit-record.ts";

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
