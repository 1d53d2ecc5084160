// The drives of a run, and when in them something happened.
import type { RunEvent } from "../registry.ts";
import { isBetweenDrives, type RunEndEvent } from "../run-end.ts";
import type { DriveRecord, MomentOfDrive, VisitRecord } from "./visit-record.ts";

export class DriveList {
  readonly all: DriveRecord[] = [];
  readonly #keepsHistory: boolean;
  #present: DriveRecord | undefined;
  /** Without history, times are not read: one moment for each drive will do. */
  #untimed: MomentOfDrive = { drive: 0, seq: 0, at: "" };

  constructor(keepsHistory: boolean) {
    this.#keepsHistory = keepsHistory;
  }

  begin(began: DriveRecord["began"]): void {
    const number = this.all.length + 1;
    this.#present = { number, began, end: undefined, lastAt: began.ts, visits: [] };
    this.all.push(this.#present);
    this.#untimed = { drive: number, seq: 0, at: "" };
  }

  momentOf({ seq, ts }: RunEvent): MomentOfDrive {
    return this.#keepsHistory ? { drive: this.all.length, seq, at: ts } : this.#untimed;
  }

  list(visit: VisitRecord): void {
    this.#present?.visits.push(visit);
  }

  heard(event: RunEvent): void {
    if (this.#present && !isBetweenDrives(event, this.#present.end !== undefined)) this.#present.lastAt = event.ts;
  }

  end(end: RunEndEvent): void {
    if (!this.#present) return;
    if (this.#present.end === undefined) this.#present.lastAt = end.ts;
    this.#present.end = end;
  }
}
