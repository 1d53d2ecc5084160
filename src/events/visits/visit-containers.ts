// What a visit is part of: the group whose member it is, or the visit that called the sub-workflow it is in.
import type { EventData, RunEvent } from "../registry.ts";
import { branchEnded, childBegan, groupBegan, keepGroupEnd, keepMember } from "./visit-history.ts";
import type { VisitIndex } from "./visit-index.ts";
import type { MemberStatus, MomentOfDrive, VisitRecord } from "./visit-record.ts";

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
  readonly #visits: VisitIndex;
  /** Who called the sub-workflow at a path, in the present drive. */
  #callers = new Map<string, VisitRecord>();

  constructor(visits: VisitIndex) {
    this.#visits = visits;
  }

  beginDrive(): void {
    this.#callers = new Map();
  }

  called(path: Path, { key, slot }: EventData<"subworkflow_started">, { drive }: MomentOfDrive): void {
    const caller = this.#visits.get(key);
    if (!caller) return;
    childBegan(caller, drive);
    this.#callers.set([...path, slot].join("/"), caller);
  }

  /** Where readers find it: in the group or the sub-workflow that it belongs to. */
  list(visit: VisitRecord, drive: number): void {
    const { path, group, history } = visit;
    const parent = group === undefined ? this.#callers.get(path.join("/")) : this.#visits.latest(path, group);
    if (history) history.parent ??= parent;
    if (group !== undefined) this.memberIs("running", visit, drive);
    else parent?.history?.children.at(-1)?.visits.push(visit);
  }

  memberIs(status: MemberStatus, visit: VisitRecord, drive: number): void {
    if (visit.group === undefined) return;
    keepMember(this.#visits.latest(visit.path, visit.group), visit.itemKey ?? visit.node, status, drive);
  }

  /** A group began or ended, or one of its branches did. */
  heard({ type, path, data }: GroupEvent, moment: MomentOfDrive): void {
    const latest = this.#visits.latest(path, data.group_name);
    switch (type) {
      case "parallel_started":
        groupBegan(this.#visits.find(path, data.key, data.group_name), data.agents.length, moment.drive);
        break;
      case "for_each_started":
        groupBegan(this.#visits.find(path, data.key, data.group_name), data.item_count, moment.drive);
        break;
      case "parallel_agent_completed":
        branchEnded(latest, data.agent_name, data.recovered ? "recovered" : "completed", moment);
        break;
      case "for_each_item_completed":
        branchEnded(latest, data.item_key, data.recovered ? "recovered" : "completed", moment);
        break;
      case "parallel_agent_failed":
        branchEnded(latest, data.agent_name, "failed", moment);
        break;
      case "for_each_item_failed":
        branchEnded(latest, data.item_key, "failed", moment);
        break;
      case "parallel_completed":
      case "for_each_completed":
        keepGroupEnd(latest, data.failure_count, moment);
        break;
    }
  }
}
