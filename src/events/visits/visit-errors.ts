// A visit's share of errors: raised, read by routes, handed to another step, handled there, or tried again.
import { nodePath } from "../key.ts";
import type { EventData, RunEvent } from "../registry.ts";
import { OpenFailures } from "./handled.ts";
import { routesRaised } from "./visit-attempts.ts";
import { keepError, keepHandled, keepReading, keepRecovery } from "./visit-history.ts";
import type { VisitIndex } from "./visit-index.ts";
import { keep, type MomentOfDrive, type VisitRecord } from "./visit-record.ts";

type Path = readonly string[];
type ErrorEventType =
  | "error_raised"
  | "error_routed"
  | "error_unhandled"
  | "error_recovered"
  | "error_escalated"
  | "dead_lettered"
  | "escalation_failed"
  | "retry_scheduled";

export class VisitErrors {
  readonly #visits: VisitIndex;
  readonly failures = new OpenFailures();
  /** Visits whose error was handed to a step that has not got to its end yet, by its path and name. */
  readonly #handedTo = new Map<string, readonly VisitRecord[]>();

  constructor(visits: VisitIndex) {
    this.#visits = visits;
  }

  heard(event: Extract<RunEvent, { readonly type: ErrorEventType }>, moment: MomentOfDrive): void {
    const { path } = event;
    switch (event.type) {
      case "error_raised":
        this.#raised(path, event.data, moment);
        break;
      case "error_routed":
        this.#routed(path, event.data, moment);
        break;
      case "error_unhandled": {
        const { key, node, considered } = event.data;
        keepReading(this.#visits.find(path, key, node), considered, undefined, moment);
        break;
      }
      case "error_recovered": {
        const visit = this.#visits.find(path, event.data.key, event.data.node);
        this.failures.settle(visit, "to");
        keepHandled(visit, moment);
        if (visit?.group === undefined) this.gotToItsEnd(path, event.data.by, moment);
        keepRecovery(visit, event.data.by, moment);
        break;
      }
      case "error_escalated":
      case "dead_lettered":
        this.failures.escalateOrKeep(this.#visits.get(event.data.key), true);
        break;
      case "escalation_failed":
        this.failures.escalateOrKeep(this.#visits.get(event.data.key), undefined);
        break;
      case "retry_scheduled":
        this.#retryScheduled(path, event.data, moment);
        break;
    }
  }

  #raised(path: Path, { key, node, error }: EventData<"error_raised">, moment: MomentOfDrive): void {
    const visit = this.#visits.find(path, key, node);
    if (!visit) return;
    this.failures.raised(visit, key, error);
    routesRaised(visit, moment);
    keepError(visit, error, moment);
  }

  #routed(path: Path, data: EventData<"error_routed">, moment: MomentOfDrive): void {
    const { action, to, considered = [] } = data;
    const visit = this.#visits.find(path, data.key, data.node);
    keepReading(visit, considered, data, moment);
    if (visit?.history && visit.group === undefined && to !== undefined) this.#handed(path, visit, to);
    this.failures.settle(visit, action === "retry" && to === undefined ? "again" : action);
    if (action === "to" || (action === "retry" && to !== undefined)) this.failures.settleMembers(path, data.node);
  }

  /** What was handed to a step that raises too is handed on with its error. */
  #handed(path: Path, visit: VisitRecord, to: string): void {
    const own = nodePath(path, visit.node);
    const handedOn = this.#handedTo.get(own) ?? [];
    this.#handedTo.delete(own);
    const place = nodePath(path, to);
    this.#handedTo.set(place, [...(this.#handedTo.get(place) ?? []), ...handedOn, visit]);
  }

  /** A step that errors were handed to is done: they are handled. */
  gotToItsEnd(path: Path, node: string, moment: MomentOfDrive): void {
    const place = nodePath(path, node);
    for (const visit of this.#handedTo.get(place) ?? []) keepHandled(visit, moment);
    this.#handedTo.delete(place);
  }

  #retryScheduled(path: Path, scheduled: EventData<"retry_scheduled">, moment: MomentOfDrive): void {
    const visit = this.#visits.at(path, { key: scheduled.key, agent_name: scheduled.node });
    const retry = { ...moment, scheduled };
    visit.retries = keep(visit.retries, retry);
    visit.pendingRetry = retry;
    this.failures.settle(visit, scheduled.via === undefined ? "again" : "retry");
  }
}
