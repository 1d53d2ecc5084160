// Who drives a run now, if anybody does. Its events do not say: a process that is gone left no word.
import type { LeaseHolder } from "../../hosts/liveness.ts";
import type { RunStore } from "../../hosts/store.ts";
import { type InQueue, inQueue } from "../fleet/queued-run.ts";
import type { WatchedRun } from "./watched-run.ts";

export interface Driving {
  readonly driver: LeaseHolder | null;
  /** It is in a fleet's queue. */
  readonly waiting: InQueue | undefined;
  /** It has no end, nobody drives it, and nobody will by itself. */
  readonly isCutOff: boolean;
}

export async function drivingOf({ runId, state, reader }: WatchedRun, store: RunStore): Promise<Driving> {
  const isUnderway = state.status === "running";
  const holder = isUnderway ? await reader.holder() : undefined;
  const driver = holder && (await store.state.liveness.holderIsAlive(holder, Date.now())) ? holder : null;
  const waiting = driver || !store.fleet ? undefined : await inQueue(store, await store.summary(runId));
  return { driver, waiting, isCutOff: isUnderway && driver === null && !waiting };
}
