// Which drives were cut off: their process went away without recording an end. For the last drive no event says so; the
// caller does, if it knows that no process drives the run any more.
import { goesOnAfterPause } from "../node-types.ts";
import type { EventData } from "../registry.ts";
import type { AttemptRecord, DriveRecord, VisitRecord } from "./visit-record.ts";

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
