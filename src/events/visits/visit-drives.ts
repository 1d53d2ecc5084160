// The drives of a run, and when in them something happened.
import type { RunEvent } from "../registry.ts";
import { isBetweenDrives, type RunEndEvent } from "../run-end.ts";
import type { VisitIndex } from "./visit-index.ts";
import type { DriveRecord, MomentOfDrive, VisitRecord } from "./visit-record.ts";

/** Visits by their keys: one that is settled has no record. */
class ListedVisits implements Iterable<VisitRecord> {
  readonly keys: string[] = [];
  readonly #index: VisitIndex;

  constructor(index: VisitIndex) {
    this.#index = index;
  }

  *[Symbol.iterator](): Generator<VisitRecord> {
    for (const key of this.keys) yield this.#index.shown(key)!;
  }
}

interface ListedDrive extends DriveRecord {
  readonly visits: ListedVisits;
}

export class DriveList {
  readonly all: DriveRecord[] = [];
  readonly #keepsHistory: boolean;
  readonly #index: VisitIndex;
  #present: ListedDrive | undefined;
  /** Without history, times are not read: one moment for each drive will do. */
  #untimed: MomentOfDrive = { drive: 0, seq: 0, at: "" };

  constructor(keepsHistory: boolean, index: VisitIndex) {
    this.#keepsHistory = keepsHistory;
    this.#index = index;
  }

  begin(began: DriveRecord["began"]): void {
    const number = this.all.length + 1;
    this.#present = {
      number,
      began,
      end: undefined,
      from: undefined,
      lastAt: began.ts,
      visits: new ListedVisits(this.#index),
    };
    this.all.push(this.#present);
    this.#untimed = { drive: number, seq: 0, at: "" };
  }

  momentOf({ seq, ts }: RunEvent): MomentOfDrive {
    return this.#keepsHistory ? { drive: this.all.length, seq, at: ts } : this.#untimed;
  }

  list({ key }: VisitRecord): void {
    this.#present?.visits.keys.push(key);
  }

  goOnFrom(seq: number): void {
    if (this.#present) this.#present.from = seq;
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

/**
 * Visits of the root's file up to that event, in the order in which the drive came to them that recorded it. What is before a
 * keyframe that it went on from an earlier drive came to.
 */
export function* cameTo(drives: readonly DriveRecord[], seq: number): Iterable<VisitRecord> {
  const drive = drives.findLast(({ began }) => began.seq <= seq);
  if (drive?.from !== undefined) yield* cameTo(drives, drive.from);
  for (const visit of drive?.visits ?? []) {
    if (arrivalIn(visit, drive!.number) > seq) return;
    if (visit.path.length === 0 && visit.group === undefined) yield visit;
  }
}

function arrivalIn({ attempts, history }: VisitRecord, drive: number): number {
  const isThen = (fact: { readonly drive: number }): boolean => fact.drive === drive;
  const attempt = attempts.find(isThen);
  const began = attempt?.began?.seq ?? attempt?.ended?.seq ?? Number.POSITIVE_INFINITY;
  return Math.min(began, history?.reuses.find(isThen)?.seq ?? Number.POSITIVE_INFINITY);
}
