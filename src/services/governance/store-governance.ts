// What resilience and policies share between runs, over the store: every process on the machine sees the same.
import type { AgentBoard, Governance, LetterBox } from "../../engine/guard/governance.ts";
import type { BreakerState } from "../../engine/guard/resilience/breaker-state.ts";
import { CircuitBreaker } from "../../engine/guard/resilience/circuit-breaker.ts";
import { newRunId } from "../../hosts/embedded/run-id.ts";
import type { BreakerTable } from "../../hosts/embedded/state/breakers.ts";
import type { Store } from "../../hosts/embedded/store.ts";
import type { Redactor } from "../../redact/index.ts";
import type { Clock } from "../../steps/executor.ts";
import { type Places, WaitingSlots } from "./slots.ts";

type Shared = Pick<Governance, "letters" | "slots" | "agents"> & { readonly breaker: Breakers };
type Breakers = (...asked: Parameters<Governance["breaker"]>) => CircuitBreaker;

/** Letters are kept for so long after they were last seen. */
export const RETENTION_MS = 30 * 86_400_000;
const SLOTS = "steps";
const POLL_MS = 100;

export function storeGovernance(store: Store, runId: string, clock: Clock, redactor: Redactor): Shared {
  return {
    breaker: breakersOf(store, clock),
    letters: lettersOf(store, runId, clock, redactor),
    slots: new WaitingSlots(storePlaces(store), { pollMs: POLL_MS }),
    agents: agentsOf(store, runId),
  };
}

/** Probes carry the process that makes them, so that one whose process is gone blocks nobody. */
function breakersOf(store: Store, clock: Clock): Breakers {
  let probes = 0;
  return (name, settings) => {
    const { owners } = store.state;
    const table = store.state.breakers as BreakerTable<BreakerState>;
    return new CircuitBreaker(name, settings, {
      now: () => clock.now(),
      cell: { get: () => table.get(name), update: (change) => table.update(name, change) },
      newProbe: () => `${++probes}@${owners.self()}`,
      isGone: ({ id }) => !owners.isAlive(id.slice(id.indexOf("@") + 1)),
    });
  };
}

function lettersOf(store: Store, runId: string, clock: Clock, redactor: Redactor): LetterBox {
  /** Letters of this run that wait for a success, by place. */
  let open: Map<string, { id: string; kind: string }> | undefined;
  const known = (): Map<string, { id: string; kind: string }> => {
    open ??= new Map(
      store.state.letters
        .list({ runId, status: ["open", "retrying"] })
        .map(({ place, id, kind }) => [place, { id, kind }]),
    );
    return open;
  };
  return {
    put({ body, ...letter }) {
      const letters = known();
      // What is kept is what may be shown: the run's own journal has the rest.
      const shown = redactor.value(body) as typeof body;
      if (letters.size === 0) store.state.letters.expire(clock.now() - RETENTION_MS);
      const id = store.state.letters.put({ id: newRunId(), runId, ...letter, body: shown });
      letters.set(letter.place, { id, kind: letter.kind });
      return id;
    },
    waiting: (place) => known().get(place),
    resolve(place) {
      const letter = known().get(place);
      if (!letter) return;
      known().delete(place);
      store.state.letters.update(letter.id, () => ({ status: "resolved" }));
    },
  };
}

function storePlaces(store: Store): Places {
  return {
    taken: () => store.state.slots.taken(SLOTS),
    take(max) {
      const slot = store.state.slots.acquire(SLOTS, max);
      return slot && (() => store.state.slots.release(slot));
    },
  };
}

function agentsOf(store: Store, runId: string): AgentBoard {
  let isFresh = true;
  return {
    begin(step, key) {
      return store.state.atOnce(() => {
        const { running } = store.state;
        // What an earlier drive of this run left behind does not run any more.
        if (isFresh) running.clear(runId);
        isFresh = false;
        const running_in = running.elsewhere(step, runId);
        if (running_in.length === 0) running.start(step, runId, key);
        return { running_in, last_failed: running.lastFailed(step) };
      });
    },
    end: (step, key, ok) => store.state.running.end(step, runId, key, ok),
  };
}
