// The visits of a run with their history, folded from the events that tell of them, and on as they come.
import { signal } from "@preact/signals";
import type { RunEvent } from "../../../../events/registry.ts";
import { VisitFold } from "../../../../events/visits/visit-fold.ts";
import type { EventsJson } from "../../../../server/contract/past.ts";
import { apiPath, get } from "../../../api/client.ts";
import type { RunModel } from "../../../state/run-model.ts";

/** What scripts print and models say is most of a log, and no part of this. */
const TYPES = [
  "workflow_started,run_resumed,workflow_completed,workflow_failed,run_paused,run_cancelled",
  "agent_started,agent_completed,agent_failed,agent_cancelled,agent_reused",
  "error_raised,error_routed,error_unhandled,error_recovered,retry_scheduled,route_taken",
  "parallel_started,for_each_started,parallel_completed,for_each_completed",
  "subworkflow_started,subworkflow_failed,gate_presented,gate_resolved",
].join(",");
const KNOWN: ReadonlySet<string> = new Set(TYPES.split(","));
const PAGE = 5000;

export class HistoryOfVisits {
  readonly fold = new VisitFold({ history: true });
  /** Changes with the fold. */
  readonly version = signal(0);
  readonly problem = signal<string | null>(null);
  #position = 0;
  #waiting: RunEvent[] | null = [];
  readonly #leaving = new AbortController();
  readonly #stopListening: () => void;

  constructor(
    readonly model: RunModel,
    readonly until: number | null,
  ) {
    this.#stopListening = until === null ? model.onEvents((events) => this.#heard(events)) : () => undefined;
    void this.load();
  }

  stop(): void {
    this.#leaving.abort();
    this.#stopListening();
  }

  readonly load = async (): Promise<void> => {
    try {
      for (let after: number | null = this.#position; after !== null; ) {
        const page: EventsJson = await get(
          apiPath("runs", this.model.id, "events"),
          { after, limit: PAGE, type: TYPES, to: this.until },
          this.#leaving.signal,
        );
        this.#add(page.events);
        after = page.next;
      }
      const waiting = this.#waiting ?? [];
      this.#waiting = null;
      this.#add(waiting);
      this.problem.value = null;
    } catch (error) {
      if (!this.#leaving.signal.aborted) this.problem.value = error instanceof Error ? error.message : String(error);
    }
  };

  #heard(events: readonly RunEvent[]): void {
    if (this.#waiting) this.#waiting.push(...events);
    else this.#add(events);
  }

  #add(events: readonly RunEvent[]): void {
    for (const event of events) {
      if (event.seq <= this.#position || !KNOWN.has(event.type)) continue;
      this.fold.add(event);
      this.#position = event.seq;
    }
    this.version.value += 1;
  }
}
