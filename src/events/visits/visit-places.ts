// What a visit is part of: its drive, the group whose member it is, the visit that called the sub-workflow it is in.
import type { EventData, RunEvent } from "../registry.ts";
import { isBetweenDrives, type RunEndEvent } from "../run-end.ts";
import { branchEnded, childBegan, groupBegan, keepFact, keepMember } from "./visit-history.ts";
import type { VisitIndex } from "./visit-index.ts";
import type { DriveRecord, MemberStatus, MomentOfDrive, VisitRecord } from "./visit-record.ts";

/** Visits by their keys: one that is settled has no record. */
class ListedVisits implements Iterable<VisitRecord> {
  readonly keys: string[] = [];

  constructor(private readonly index: VisitIndex) {}

  *[Symbol.iterator](): Generator<VisitRecord> {
    for (const key of this.keys) yield this.index.shown(key)!;
  }
}

interface ListedDrive extends DriveRecord {
  readonly visits: ListedVisits;
}

export class DriveList {
  readonly all: DriveRecord[] = [];
  #present: ListedDrive | undefined;
  /** Without history, times are not read: one moment for each drive will do. */
  #untimed: MomentOfDrive = { drive: 0, seq: 0, at: "" };

  constructor(
    private readonly keepsHistory: boolean,
    private readonly index: VisitIndex,
  ) {}

  begin(began: DriveRecord["began"]): void {
    const number = this.all.length + 1;
    this.#present = {
      number,
      began,
      end: undefined,
      from: undefined,
      lastAt: began.ts,
      visits: new ListedVisits(this.index),
    };
    this.all.push(this.#present);
    this.#untimed = { drive: number, seq: 0, at: "" };
  }

  momentOf({ seq, ts }: RunEvent): MomentOfDrive {
    return this.keepsHistory ? { drive: this.all.length, seq, at: ts } : this.#untimed;
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

type Path = readonly string[];
type GroupEventType =
  | "parallel_started"
  | "for_each_started"
  | "parallel_agent_completed"
  | "for_each_item_completed"
  | "parallel_agent_failed"
  | "for_each_item_failed"
  | "parallel_completed"
  | "for_each_completed";

export type GroupEvent = Extract<RunEvent, { readonly type: GroupEventType }>;

export class Containers {
  /** Who called the sub-workflow at a path, in the present drive. */
  #callers = new Map<string, VisitRecord>();

  constructor(private readonly visits: VisitIndex) {}

  beginDrive(): void {
    this.#callers = new Map();
  }

  called(path: Path, { key, slot }: EventData<"subworkflow_started">, { drive }: MomentOfDrive): void {
    const caller = this.visits.get(key);
    if (!caller) return;
    childBegan(caller, drive);
    this.#callers.set([...path, slot].join("/"), caller);
  }

  /** Where readers find it: in the group or the sub-workflow that it belongs to. */
  list(visit: VisitRecord, drive: number): void {
    const { path, group, history } = visit;
    const parent = group === undefined ? this.#callers.get(path.join("/")) : this.visits.latest(path, group);
    if (history) history.parent ??= parent;
    if (group !== undefined) this.memberIs("running", visit, drive);
    else parent?.history?.children.at(-1)?.visits.push(visit);
  }

  memberIs(status: MemberStatus, visit: VisitRecord, drive: number): void {
    if (visit.group === undefined) return;
    keepMember(this.visits.latest(visit.path, visit.group), visit.itemKey ?? visit.node, status, drive);
  }

  /** A group began or ended, or one of its branches did. */
  heard({ type, path, data }: GroupEvent, moment: MomentOfDrive): void {
    const latest = this.visits.latest(path, data.group_name);
    switch (type) {
      case "parallel_started":
      case "for_each_started": {
        const count = "agents" in data ? data.agents.length : data.item_count;
        groupBegan(this.visits.find(path, data.key, data.group_name), count, moment.drive);
        break;
      }
      case "parallel_agent_completed":
      case "for_each_item_completed":
        branchEnded(latest, branchOf(data), data.recovered ? "recovered" : "completed", moment);
        break;
      case "parallel_agent_failed":
      case "for_each_item_failed":
        branchEnded(latest, branchOf(data), "failed", moment);
        break;
      case "parallel_completed":
      case "for_each_completed":
        keepFact(latest, "groupEnds", { ...moment, lost: data.failure_count });
        break;
    }
  }
}

const branchOf = (data: { readonly agent_name: string } | { readonly item_key: string }): string =>
  "item_key" in data ? data.item_key : data.agent_name;
