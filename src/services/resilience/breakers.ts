// Circuit breakers of the store: the state of each, and closing one by hand.

import { nearest } from "../../base/errors/nearest.ts";
import { head, type ListHead } from "../../base/results/index.ts";
import type { BreakerState } from "../../engine/guard/resilience/breaker-state.ts";
import type { NamedStates } from "../../storage/shared-state.ts";
import { orRefused, refusal } from "../refusals.ts";
import { actingPerson } from "../session/people.ts";
import type { Session } from "../session/session.ts";
import { incompleteOf, nowOf, withStore } from "../session/store.ts";

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
  /** Of one that a person closed by hand: who, and when. */
  readonly reset?: { readonly by: string; readonly at: string };
}

export interface BreakersAnswer extends ListHead {
  readonly breakers: readonly BreakerView[];
}

/** Reading changes nothing: one that is due for a try is still open. */
export const listBreakers = (session: Session): Promise<BreakersAnswer> =>
  answer(session, async (table, now) => (await table.list()).map(({ name, state }) => viewOf(name, state, now)));

export const resetBreaker = (
  session: Session,
  request: { readonly name: string; readonly by?: string },
): Promise<BreakersAnswer> =>
  answer(session, async (table, at) => {
    const { name, by = actingPerson(session) } = request;
    const names = (await table.list()).map((breaker) => breaker.name);
    if (!(await table.reset(name))) {
      const known = names.length > 0 ? ` There is ${names.slice(0, 10).join(", ")}.` : " None has counted a failure.";
      throw refusal(`there is no breaker ${name}.${known}`, { suggestions: nearest(name, names) });
    }
    const closed = await table.update(name, () => ({ status: "closed", failures: 0, reset: { by, at } }));
    return [viewOf(name, closed, at)];
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
    reset:
      state.status === "closed" && state.reset
        ? { by: state.reset.by, at: new Date(state.reset.at).toISOString() }
        : undefined,
  };
}

const answer = (
  session: Session,
  find: (table: NamedStates<BreakerState>, now: number) => Promise<readonly BreakerView[]>,
): Promise<BreakersAnswer> =>
  orRefused(session, { breakers: [] }, () =>
    withStore(session, async (store) => ({
      ...head(0),
      breakers: await find(store.state.breakers as NamedStates<BreakerState>, nowOf(store)),
      ...incompleteOf(store),
    })),
  );
