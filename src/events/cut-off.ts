// Which drives were cut off: their process went away without a word. Of the last drive no event says so; whoever knows that
// nobody drives the run any more does.
import type { DriveRecord } from "./visit-record.ts";

export interface Driven {
  readonly drives: readonly DriveRecord[];
  /** Nobody drives the run, and its last drive has no end. */
  readonly isCutOff: boolean;
}

export function wasCutOff({ drives, isCutOff }: Driven, drive: number): boolean {
  const driven = drives[drive - 1];
  return driven !== undefined && driven.end === undefined && (isCutOff || drive < drives.length);
}
