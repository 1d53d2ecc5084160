// What resilience and policies share between runs, over the store: every process on the machine sees the same.
import type { AgentBoard, Governance, LetterBox } from "../../engine/guard/governance.ts";
import type { BreakerState } from "../../engine/guard/resilience/breaker-state.ts";
import { CircuitBreaker } from "../../engine/guard/resilience/circuit-breaker.ts";
import { newRunId } from "../../hosts/run-id.ts";
import type { BreakerStates } from "../../hosts/shared-state.ts";
import type { RunStore } from "../../hosts/store.ts";
import type { Redactor } from "../../redact/index.ts";
import type { Clock } from "../../steps/executor.ts";
import { atOnce } from "../drive/shared.ts";
import { type Places, WaitingSlots } from "./slots.ts";

type Shared = Pick<Governance, "letters" | "slots" | "agents"> & { readonly breaker: Breakers };
type Breakers = (...asked: Parameters<Governance["breaker"]>) => CircuitBreaker;

/** Letters are kept for so long after they were last seen. */
export const RETENTION_MS = 30 * 86_400_000;
const SLOTS = "steps";
const POLL_MS = 100;

export function storeGovernance(store: RunStore, runId: string, clock: Clock, redactor: Redactor): Shared {
  return {
    breaker: breakersOf(store, clock),
    letters: lettersOf(store, runId, clock, redactor),
    slots: new WaitingSlots(storePlaces(store), { pollMs: POLL_MS }),
    agents: agentsOf(store, runId),
  };
}

/** Probes carry the process that makes them, so that one whose process is gone blocks nobody. */
function breakersOf(store: RunStore, clock: Clock): Breakers {
  let probes = 0;
  return (name, settings) => {
    const { liveness } = store.state;
    const table = store.state.breakers as BreakerStates<BreakerState>;
    return new CircuitBreaker(name, settings, {
      now: () => clock.now(),
      cell: { get: () => atOnce(table.get(name)), update: (change) => atOnce(table.update(name, change)) },
      newProbe: () => `${++probes}@${liveness.self()}`,
      isGone: ({ id }) => !liveness.isAlive(id.slice(id.indexOf("@") + 1)),
    });
  };
}

function lettersOf(store: RunStore, runId: string, clock: Clock, redactor: Redactor): LetterBox {
  /** Letters of this run that wait for a success, by place. */
  let open: Map<string, { id: string; kind: string }> | undefined;
  const known = (): Map<string, { id: string; kind: string }> => {
    open ??= new Map(
      atOnce(store.state.letters.list({ runId, status: ["open", "retrying"] })).map(({ place, id, kind }) => [
        place,
        { id, kind },
      ]),
    );
    return open;
  };
  return {
    put({ body, ...letter }) {
      const letters = known();
      // What is kept is what may be shown: the run's own journal has the rest.
      const shown = redactor.value(body) as typeof body;
      if (letters.size === 0) atOnce(store.state.letters.expire(clock.now() - RETENTION_MS));
      const id = atOnce(store.state.letters.put({ id: newRunId(), runId, ...letter, body: shown }));
      letters.set(letter.place, { id, kind: letter.kind });
      return id;
    },
    waiting: (place) => known().get(place),
    resolve(place) {
      const letter = known().get(place);
      if (!letter) return;
      known().delete(place);
      atOnce(store.state.letters.setStatus([letter.id], "resolved"));
    },
  };
}

function storePlaces(store: RunStore): Places {
  return {
    taken: () => atOnce(store.state.slots.taken(SLOTS)),
    take(max) {
      const slot = atOnce(store.state.slots.acquire(SLOTS, max));
      return slot && (() => atOnce(store.state.slots.release(slot)));
    },
  };
}

function agentsOf(store: RunStore, runId: string): AgentBoard {
  let isFresh = true;
  return {
    begin(step, key) {
      const { running } = store.state;
      // What an earlier drive of this run left behind does not run any more.
      if (isFresh) atOnce(running.clear(runId));
      isFresh = false;
      const { runningIn, lastFailed } = atOnce(running.begin(step, runId, key));
      return { running_in: runningIn, last_failed: lastFailed };
    },
    end: (step, key, ok) => atOnce(store.state.running.end(step, runId, key, ok)),
  };
}
