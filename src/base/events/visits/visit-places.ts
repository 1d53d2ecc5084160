// What a visit is part of: its drive, the group whose member it is, the visit that called the sub-workflow it is in.
import type { EventData, RunEvent } from "../registry.ts";
import { isBetweenDrives, type RunEndEvent } from "../run-end.ts";
import type { OpenFailures } from "./verdicts.ts";
import { branchEnded, childBegan, groupBegan, keepFact, keepMember } from "./visit-history.ts";
import type { VisitIndex } from "./visit-index.ts";
import type { DriveRecord, Hears, MemberStatus, MomentOfDrive, VisitRecord } from "./visit-record.ts";

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

/** Visits of the root's file up to that event, in order; before a keyframe, those of the drive that came to them. */
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
export class Containers {
  /** Who called the sub-workflow at a path, in the present drive. */
  #callers = new Map<string, VisitRecord>();

  constructor(
    private readonly visits: VisitIndex,
    private readonly failures: OpenFailures,
  ) {}

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
  get heard(): Hears {
    const began = ({ path, data }: GroupEvent<"started">, { drive }: MomentOfDrive): void => {
      const count = "agents" in data ? data.agents.length : data.item_count;
      groupBegan(this.visits.find(path, data.key, data.group_name), count, drive);
    };
    const branch = ({ type, path, data }: BranchEvent, moment: MomentOfDrive): void => {
      const name = "item_key" in data ? data.item_key : data.agent_name;
      const isLost = type === "parallel_agent_failed" || type === "for_each_item_failed";
      const status = isLost ? "failed" : "recovered" in data && data.recovered ? "recovered" : "completed";
      branchEnded(this.visits.latest(path, data.group_name), name, status, moment);
    };
    const ended = ({ path, data }: GroupEvent<"completed">, moment: MomentOfDrive): void => {
      if (!data.failed) this.failures.settleMembers(path, data.group_name);
      keepFact(this.visits.latest(path, data.group_name), "groupEnds", { ...moment, lost: data.failure_count });
    };
    return {
      parallel_started: began,
      for_each_started: began,
      parallel_agent_completed: branch,
      for_each_item_completed: branch,
      parallel_agent_failed: branch,
      for_each_item_failed: branch,
      parallel_completed: ended,
      for_each_completed: ended,
    };
  }
}

type GroupEvent<What extends string> = Extract<RunEvent, { readonly type: `${"parallel" | "for_each"}_${What}` }>;
type BranchEvent = GroupEvent<`${"agent" | "item"}_${"completed" | "failed"}`>;
