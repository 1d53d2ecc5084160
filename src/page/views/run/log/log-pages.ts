// The log as far as it was read: the newest page first, earlier ones as one scrolls up, new events as they come.
import { signal } from "@preact/signals";
import type { RunEvent } from "../../../../events/registry.ts";
import type { EventsJson } from "../../../../server/contract/past.ts";
import { apiPath, get } from "../../../api/client.ts";
import type { RunModel } from "../../../state/run-model.ts";

const PAGE = 1000;
/** More than this is not kept; scrolling up fetches it again. */
const MOST = 20_000;

export interface LogFilter {
  readonly text: string;
  readonly type: string;
  readonly step: string;
}

export class LogPages {
  readonly events = signal<readonly RunEvent[] | undefined>(undefined);
  readonly problem = signal<string | null>(null);
  /** The last change put events before the others: the list keeps its place. */
  isPrepended = false;
  #hasEarlier = true;
  #isLoading = false;
  readonly #leaving = new AbortController();
  readonly #stopListening: () => void;

  constructor(
    readonly model: RunModel,
    readonly filter: LogFilter,
    /** The moment of a replay: nothing after it is shown. */
    readonly until: number | null,
  ) {
    this.#stopListening = until === null ? model.onEvents((events) => this.#add(events)) : () => undefined;
    void this.earlier();
  }

  stop(): void {
    this.#leaving.abort();
    this.#stopListening();
  }

  readonly earlier = async (): Promise<void> => {
    if (this.#isLoading || !this.#hasEarlier) return;
    this.#isLoading = true;
    const known = this.events.peek() ?? [];
    const before = known[0]?.seq ?? (this.until ?? this.model.live.peek()?.seq ?? 0) + 1;
    try {
      const { events } = await get<EventsJson>(
        apiPath("runs", this.model.id, "events"),
        { before, limit: PAGE, ...this.filter },
        this.#leaving.signal,
      );
      this.isPrepended = true;
      this.#hasEarlier = events.length === PAGE;
      this.events.value = [...events, ...(this.events.peek() ?? [])];
      this.problem.value = null;
    } catch (error) {
      if (!this.#leaving.signal.aborted) this.problem.value = error instanceof Error ? error.message : String(error);
    } finally {
      this.#isLoading = false;
    }
  };

  #add(events: readonly RunEvent[]): void {
    const { text, type, step } = this.filter;
    const known = this.events.peek();
    if (!known) return;
    // The server decides which events belong to the step: those that the page cannot judge are left out until a reload.
    const wanted = events.filter(
      (event) =>
        event.seq > (known.at(-1)?.seq ?? 0) &&
        (type === "" || type.split(",").includes(event.type)) &&
        (text === "" || JSON.stringify(event.data).toLowerCase().includes(text.toLowerCase())) &&
        (step === "" || JSON.stringify(event.data).includes(JSON.stringify(step.split("/").at(-1)))),
    );
    if (wanted.length === 0) return;
    this.isPrepended = false;
    const all = [...known, ...wanted];
    if (all.length > MOST) this.#hasEarlier = true;
    this.events.value = all.length > MOST ? all.slice(-MOST / 2) : all;
  }
}
