// What resilience and policies share between runs, over the store: everybody who uses the store sees the same. Where it
// answers at once, so does this.
import { type Awaitable, mapMaybe } from "../../engine/awaitable.ts";
import type { AgentBoard, Governance, LetterBox, WaitingLetter } from "../../engine/guard/governance.ts";
import type { BreakerState } from "../../engine/guard/resilience/breaker-state.ts";
import { type DeadLetter, followUp } from "../../engine/guard/resilience/dead-letter.ts";
import { SharedBreaker } from "../../engine/guard/resilience/shared-breaker.ts";
import { newRunId } from "../../hosts/run-id.ts";
import type { NamedStates } from "../../hosts/shared-state.ts";
import type { RunStore } from "../../hosts/store.ts";
import type { Redactor } from "../../redact/index.ts";
import { shownKind } from "../../results/entry.ts";
import type { Clock } from "../../steps/executor.ts";
import { type Places, WaitingSlots } from "./slots.ts";

type Shared = Pick<Governance, "breaker" | "letters" | "slots" | "agents">;

/** Letters are kept for so long after they were last seen. */
export const RETENTION_MS = 30 * 86_400_000;
const SLOTS = "steps";
const POLL_MS = 100;

export function storeGovernance(store: RunStore, runId: string, clock: Clock, redactor: Redactor): Shared {
  return {
    breaker: breakersOf(store, clock, redactor),
    letters: lettersOf(store, runId, clock, redactor),
    slots: new WaitingSlots(storePlaces(store), { pollMs: POLL_MS }),
    agents: agentsOf(store, runId, redactor),
  };
}

/**
 * Probes carry the process that makes them, so that one whose process is gone blocks no other. A breaker whose name
 * holds a secret is kept under the name as it is shown: listing breakers has no run's secrets to redact with.
 */
function breakersOf(store: RunStore, clock: Clock, redactor: Redactor): Governance["breaker"] {
  let probes = 0;
  return (target, settings) => {
    const name = redactor.text(target);
    const { liveness } = store.state;
    const table = store.state.breakers as NamedStates<BreakerState>;
    return new SharedBreaker(name, settings, {
      now: () => clock.now(),
      cell: { get: () => table.get(name), update: (change) => table.update(name, change) },
      newProbe: () => mapMaybe(liveness.self(), (self) => `${++probes}@${self}`),
      isGone: ({ id }) => mapMaybe(liveness.isAlive(id.slice(id.indexOf("@") + 1)), (lives) => !lives),
    });
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
    put: ({ body, ...letter }) =>
      mapMaybe(known(), (waiting) => {
        // What is kept is what may be shown: the run's own journal has the rest.
        const shown = {
          place: letter.place,
          workflow: redactor.text(letter.workflow),
          node: redactor.text(letter.node),
          kind: shownKind(letter.kind, redactor),
          body: redactor.value(body) as typeof body,
        };
        const expired = waiting.size === 0 ? letters.expire(clock.now() - RETENTION_MS) : 0;
        const id = waiting.get(letter.place)?.id;
        const earlier = mapMaybe(expired, () => (id === undefined ? undefined : letters.get(id)));
        return mapMaybe(earlier, (known) => {
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

function agentsOf(store: RunStore, runId: string, redactor: Redactor): AgentBoard {
  const { running } = store.state;
  const shown = (step: string): string => redactor.text(step);
  /** What an earlier drive of this run left behind does not run any more. */
  let cleared: Awaitable<void> | undefined;
  let isFresh = true;
  return {
    begin(step, key) {
      if (isFresh) cleared = running.clear(runId);
      isFresh = false;
      const begun = mapMaybe(cleared, () => running.begin(shown(step), runId, key));
      return mapMaybe(begun, ({ runningIn, lastFailed }) => ({ running_in: runningIn, last_failed: lastFailed }));
    },
    end: (step, key, ok) => running.end(shown(step), runId, key, ok),
  };
}
