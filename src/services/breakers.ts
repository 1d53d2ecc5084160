// Circuit breakers of the store: how each stands, and closing one by hand.
import type { BreakerState } from "../engine/guard/resilience/breaker-state.ts";
import { nearest } from "../errors/nearest.ts";
import type { BreakerTable } from "../hosts/embedded/state/breakers.ts";
import type { Store } from "../hosts/embedded/store.ts";
import { type Head, head } from "../results/index.ts";
import { storeOf } from "./home.ts";
import { refused, storeProblem } from "./refusals.ts";
import type { Surroundings } from "./request.ts";

export interface BreakerView {
  readonly name: string;
  readonly status: BreakerState["status"];
  readonly failures: number;
  readonly opened_at: string | null;
  /** Until an open one lets a call through; 0 when the next call is let through to try. */
  readonly retry_after_seconds: number | null;
  /** Of a half-open one: calls that are out to try, and how many went well so far. */
  readonly probes: number;
  readonly successes: number;
}

export interface BreakersAnswer extends Head {
  readonly breakers: readonly BreakerView[];
}

const tableOf = (store: Store): BreakerTable<BreakerState> => store.state.breakers as BreakerTable<BreakerState>;

/** Reading changes nothing: one that is due for a try is still open. */
export const listBreakers = (request: Surroundings): BreakersAnswer =>
  answer(request, (store) => ({
    ...head(0),
    breakers: tableOf(store)
      .list()
      .map(({ name, state }) => viewOf(name, state, Date.now())),
  }));

export const resetBreaker = (request: Surroundings & { readonly name: string }): BreakersAnswer =>
  answer(request, (store) => {
    const { name } = request;
    const table = tableOf(store);
    const names = table.list().map((breaker) => breaker.name);
    if (!table.reset(name)) {
      const known = names.length > 0 ? ` There is ${names.slice(0, 10).join(", ")}.` : " None has counted a failure.";
      return {
        ...refused(`there is no breaker ${name}.${known}`, { suggestions: nearest(name, names) }),
        breakers: [],
      };
    }
    return { ...head(0), breakers: [viewOf(name, { status: "closed", failures: 0 }, Date.now())] };
  });

function viewOf(name: string, state: BreakerState, now: number): BreakerView {
  const isHalf = state.status === "half_open";
  return {
    name,
    status: state.status,
    failures: state.failures,
    opened_at: "openedAt" in state ? new Date(state.openedAt).toISOString() : null,
    retry_after_seconds: state.status === "open" ? Math.max(0, Math.ceil((state.until - now) / 1000)) : null,
    probes: isHalf ? state.probes.length : 0,
    successes: isHalf ? state.successes : 0,
  };
}

function answer(request: Surroundings, find: (store: Store) => BreakersAnswer): BreakersAnswer {
  const store = storeOf(request);
  try {
    return find(store);
  } catch (problem) {
    return { ...storeProblem(problem, undefined, request), breakers: [] };
  } finally {
    store.close();
  }
}
