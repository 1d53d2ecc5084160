// What resilience and policies share between runs, over the store: everybody who uses the store sees the same. Where it
// answers at once, so does this.
import { type Awaitable, mapMaybe } from "../../base/awaitable.ts";
import type { Redactor } from "../../base/redact/index.ts";
import type { Governance, LetterBox, SlotPool, WaitingLetter } from "../../engine/contract.ts";
import { type DeadLetter, followUp } from "../../engine/guard/resilience/dead-letter.ts";
import type { Clock } from "../../steps/step-type.ts";
import { newRunId } from "../../storage/run-index.ts";
import { LETTER_RETENTION_MS } from "../../storage/shared-state.ts";
import type { RunStore } from "../../storage/store.ts";
import { StoredAgentBoard } from "./agent-board.ts";
import { storeBreaker } from "./store-breaker.ts";

interface Shared extends Pick<Governance, "breaker" | "letters" | "slots"> {
  readonly agents: StoredAgentBoard;
}

const SLOTS = "steps";
const POLL_MS = 100;

export function storeGovernance(
  store: RunStore,
  runId: string,
  clock: Clock,
  redactor: Redactor,
  isFurther = false,
): Shared {
  // A breaker whose name holds a secret is kept under the name as it is shown: listing breakers has no run's secrets to redact with.
  return {
    breaker: (target, settings) =>
      storeBreaker(redactor.text(target), settings, { state: () => store.state, now: () => clock.now() }),
    letters: lettersOf(store, runId, clock, redactor),
    slots: new WaitingSlots(storePlaces(store), POLL_MS),
    agents: new StoredAgentBoard(store, runId, redactor, isFurther),
  };
}

type Waiting = Map<string, WaitingLetter>;

function lettersOf(store: RunStore, runId: string, clock: Clock, redactor: Redactor): LetterBox {
  const { letters } = store.state;
  /** Letters of this run that wait for a success, by place. */
  let open: Awaitable<Waiting> | undefined;
  const known = (): Awaitable<Waiting> => {
    open ??= mapMaybe(
      letters.list({ runId, status: ["open", "retrying"] }),
      (all) => new Map(all.map(({ place, id, kind }) => [place, { id, kind }])),
    );
    return open;
  };
  return {
    put: ({ body, ...letter }, failedAt) =>
      mapMaybe(known(), (waiting) => {
        // What is kept is what may be shown: the run's own journal has the rest.
        const { place, ...names } = letter;
        const shown = { place, ...redactor.answer({ ...names, body }) };
        const expired = waiting.size === 0 ? letters.expire(clock.now() - LETTER_RETENTION_MS) : 0;
        const id = waiting.get(letter.place)?.id;
        const earlier = mapMaybe(expired, () => (id === undefined ? undefined : letters.get(id)));
        return mapMaybe(earlier, (known) => {
          if (known && failedAt !== undefined && known.lastSeen >= failedAt) return known.id;
          const whole = known ? followUp(known as unknown as DeadLetter, shown) : shown;
          return mapMaybe(letters.put({ id: newRunId(), runId, ...whole }), (kept) => {
            waiting.set(letter.place, { id: kept, kind: whole.kind });
            return kept;
          });
        });
      }),
    waiting: (place) => mapMaybe(known(), (waiting) => waiting.get(place)),
    resolve: (place) =>
      mapMaybe(known(), (waiting) => {
        const letter = waiting.get(place);
        if (!letter) return;
        waiting.delete(place);
        return mapMaybe(letters.setStatus([letter.id], "resolved"), () => {});
      }),
  };
}

function storePlaces(store: RunStore): Places {
  const { slots } = store.state;
  return {
    taken: () => slots.taken(SLOTS),
    take: (max) => mapMaybe(slots.acquire(SLOTS, max), (slot) => slot && (() => slots.release(slot))),
  };
}

// Waiting for a slot, first come, first served. Only the first waiter polls whether another process freed one; those
// behind wait for their turn, so that a thousand waiters are not a thousand queries.

type Free = () => void | Promise<void>;

interface Places {
  /** Takes a place and gives what frees it; nothing when all are taken. */
  take(max: number): Awaitable<Free | undefined>;
  taken(): Awaitable<number>;
}

export class WaitingSlots implements SlotPool {
  #turn: Promise<void> = Promise.resolve();
  #freed = (): void => {};

  constructor(
    private readonly places: Places,
    /** How often to look for places that other processes freed; absent when there are none. */
    private readonly pollMs?: number,
  ) {}

  taken(): Awaitable<number> {
    return this.places.taken();
  }

  async acquire(max: number, signal: AbortSignal): Promise<Free | undefined> {
    const before = this.#turn;
    let pass = (): void => {};
    this.#turn = new Promise((resolve) => (pass = resolve));
    await before;
    try {
      while (!signal.aborted) {
        const free = await this.places.take(max);
        if (free)
          return async () => {
            await free();
            this.#freed();
          };
        await this.#change(signal);
      }
      return undefined;
    } finally {
      pass();
    }
  }

  /** Until this process frees a slot, it is time to look, or the signal aborts. */
  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        this.#freed = () => {};
        resolve();
      };
      const timer = this.pollMs === undefined ? undefined : setTimeout(done, this.pollMs);
      this.#freed = done;
      signal.addEventListener("abort", done, { once: true });
    });
  }
}

export function memoryPlaces(): Places {
  let taken = 0;
  return {
    taken: () => taken,
    take(max) {
      if (taken >= max) return undefined;
      taken += 1;
      return () => {
        taken -= 1;
      };
    },
  };
}
