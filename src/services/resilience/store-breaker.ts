// A circuit breaker whose state is in a store: everybody who uses the store sees the same.
import { type Awaitable, mapMaybe } from "../../base/awaitable.ts";
import type { BreakerSettings, BreakerState } from "../../engine/guard/resilience/breaker-state.ts";
import { SharedBreaker } from "../../engine/guard/resilience/shared-breaker.ts";
import type { NamedStates, SharedState } from "../../storage/shared-state.ts";

export interface BreakerPlace {
  /** Of the store, which may have to be opened first. */
  state(): Awaitable<SharedState>;
  /** Epoch milliseconds. */
  now(): number;
}

/** Over all breakers of this process, so that no two probes have one name. */
let probes = 0;

/** Probes carry the process that makes them, so that one whose process is gone blocks no other. */
export function storeBreaker(name: string, settings: Partial<BreakerSettings>, place: BreakerPlace): SharedBreaker {
  const table = () => mapMaybe(place.state(), ({ breakers }) => breakers as NamedStates<BreakerState>);
  const liveness = () => mapMaybe(place.state(), (state) => state.liveness);
  return new SharedBreaker(name, settings, {
    now: () => place.now(),
    cell: {
      get: () => mapMaybe(table(), (states) => states.get(name)),
      update: (change) => mapMaybe(table(), (states) => states.update(name, change)),
    },
    newProbe: () => mapMaybe(liveness(), (living) => mapMaybe(living.self(), (self) => `${++probes}@${self}`)),
    isGone: ({ id }) =>
      mapMaybe(liveness(), (living) => mapMaybe(living.isAlive(id.slice(id.indexOf("@") + 1)), (lives) => !lives)),
  });
}
