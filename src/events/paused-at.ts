// Until when a step worked that a pause left without an end: an agent that asks to be allowed something may have worked for
// hours before it did.
import { goesOnAfterPause } from "./node-types.ts";
import type { AttemptRecord, DriveRecord, VisitRecord } from "./visit-record.ts";

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
