// The clock by which waits and deadlines of a store's runs are held: of a fleet its database's, since no two machines agree.
import { type HostClock, realClock } from "../hosts/clock.ts";
import type { RunStore } from "../hosts/store.ts";

/** The time by which a store's own times are to be read: of a fleet its database's, whatever the clock here says. */
export const nowOf = (store: Pick<RunStore, "now">, here: number = Date.now()): number => store.now?.() ?? here;

export const clockOfStore = (store: Pick<RunStore, "now">): HostClock =>
  store.now ? { ...realClock, now: () => store.now!() } : realClock;
