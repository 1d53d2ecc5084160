// One run: what the server gave, folded on with every event that comes. Snapshot and stream meet without a gap: what lies
// between is fetched. Events are applied once a frame, all that came since the last.
import { batch, signal } from "@preact/signals";
import type { RunEvent } from "../../../base/events/registry.ts";
import { apply } from "../../../base/events/state/fold.ts";
import { unpackState } from "../../../base/events/state/packed-state.ts";
import type { RunState } from "../../../base/events/state/state.ts";
import { applyTaken, type TakenRoutes, takenOf } from "../../../base/events/taken-routes.ts";
import type { EventsJson } from "../../server/contract/log.ts";
import type { RunSnapshotJson } from "../../server/contract/run.ts";
import { apiPath, get, type QueryValues } from "../api/client.ts";
import { followLive } from "../api/stream.ts";
import { ServerAsking } from "./loaded.ts";

/** The run at some moment: now, or one of a replay. */
export interface RunMoment {
  readonly seq: number;
  readonly state: RunState;
  readonly taken: TakenRoutes;
}

/** After one of these the banner says something else. */
const CHANGES_BANNER: ReadonlySet<string> = new Set([
  "workflow_started",
  "run_resumed",
  "workflow_completed",
  "workflow_failed",
  "run_paused",
  "run_cancelled",
  "gate_presented",
  "gate_resolved",
  "questions_presented",
  "questions_completed",
  "dead_lettered",
  "dead_letter_resolved",
]);
const HIDDEN_MS = 500;
const PAGE = 5000;
/** A gap larger than this is not worth folding event by event. */
const ANEW_AFTER = 20_000;

export class RunModel extends ServerAsking {
  /** Who it is and how it fares, as the server said last; the fold in it is where `now` began. */
  readonly about = signal<RunSnapshotJson | undefined>(undefined);
  /** Replaced once a frame; `state` inside is one object that grows. */
  readonly live = signal<RunMoment | undefined>(undefined);
  readonly #listeners = new Set<(events: readonly RunEvent[]) => void>();
  #waiting: RunEvent[] = [];
  #position = 0;
  #isFetching = false;
  #isScheduled = false;
  #stopFollowing: (() => void) | undefined;

  constructor(readonly id: string) {
    super();
    void this.load();
  }

  override stop(): void {
    super.stop();
    this.#stopFollowing?.();
  }

  /** The listener gets events after they were applied. */
  onEvents(listener: (events: readonly RunEvent[]) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  readonly load = (): Promise<void> => this.attempt(async () => this.#begin(await this.#ask()));

  #ask(): Promise<RunSnapshotJson> {
    return get<RunSnapshotJson>(apiPath("runs", this.id), {}, this.signal);
  }

  #begin(snapshot: RunSnapshotJson): void {
    this.#stopFollowing?.();
    this.#waiting = [];
    this.#position = snapshot.seq;
    batch(() => {
      this.about.value = snapshot;
      this.live.value = { seq: snapshot.seq, state: unpackState(snapshot.state), taken: takenOf(snapshot.taken) };
    });
    this.#stopFollowing = followLive(this.id, {
      position: () => this.#position,
      events: ({ from, to, events }) => this.#heard(from, to, events),
      gap: ({ to }) => void this.#fetchUpTo(to),
      driver: ({ is_gone }) => {
        if (is_gone !== (this.about.peek()?.status === "crashed")) void this.#askAgain();
      },
    });
  }

  #heard(from: number, to: number, events: readonly RunEvent[]): void {
    if (to <= this.#position) return;
    if (from > this.#position || this.#isFetching) return void this.#fetchUpTo(to);
    this.#take(
      events.filter(({ seq }) => seq > this.#position),
      to,
    );
  }

  #take(events: readonly RunEvent[], to: number): void {
    this.#position = to;
    this.#waiting.push(...events);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    if (document.hidden) setTimeout(this.#apply, HIDDEN_MS);
    else requestAnimationFrame(this.#apply);
  }

  readonly #apply = (): void => {
    this.#isScheduled = false;
    const live = this.live.peek();
    const events = this.#waiting;
    if (!live || events.length === 0) return;
    this.#waiting = [];
    for (const event of events) {
      apply(live.state, event);
      applyTaken(live.taken, event);
    }
    batch(() => {
      this.live.value = { ...live, seq: events.at(-1)?.seq ?? live.seq };
      for (const listener of this.#listeners) listener(events);
    });
    if (events.some(({ type }) => CHANGES_BANNER.has(type))) void this.#askAgain();
  };

  /** What the fold does not know: the banner, who drives it, what to do next. */
  async #askAgain(): Promise<void> {
    try {
      const snapshot = await this.#ask();
      if (snapshot.seq >= (this.about.peek()?.seq ?? 0)) this.about.value = snapshot;
    } catch {
      // The connection's state says so already.
    }
  }

  async #fetchUpTo(wanted: number): Promise<void> {
    if (this.#isFetching) return;
    this.#isFetching = true;
    try {
      if (wanted - this.#position > ANEW_AFTER) {
        this.#begin(await this.#ask());
        return;
      }
      for (let isMore = true; isMore && this.#position < wanted; ) {
        const asked = { after: this.#position, limit: PAGE };
        const { events, next } = await eventsOf(this.id, asked, this.signal);
        this.#take(events, Math.max(this.#position, events.at(-1)?.seq ?? wanted));
        isMore = next !== null && events.length > 0;
      }
    } catch {
      // Asked again with the next message.
    } finally {
      this.#isFetching = false;
    }
  }
}

const eventsOf = (run: string, query: QueryValues, signal: AbortSignal): Promise<EventsJson> =>
  get<EventsJson>(apiPath("runs", run, "events"), query, signal);

/** Reads the events of a run up to the moment of a replay, or of the present: then also those that come. */
export abstract class EventReader extends ServerAsking {
  readonly #stopListening: () => void;

  constructor(
    readonly model: RunModel,
    readonly until: number | null,
  ) {
    super();
    this.#stopListening = until === null ? model.onEvents((events) => this.heard(events)) : () => undefined;
  }

  protected abstract heard(events: readonly RunEvent[]): void;

  protected events(query: QueryValues): Promise<EventsJson> {
    return eventsOf(this.model.id, query, this.signal);
  }

  override stop(): void {
    super.stop();
    this.#stopListening();
  }
}

export interface RunViewProps {
  readonly model: RunModel;
  readonly about: RunSnapshotJson;
  readonly moment: RunMoment;
}
