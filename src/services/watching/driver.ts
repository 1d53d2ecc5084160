// Who drives a run now, if anybody does. Its events do not say: a process that is gone left no word.
import type { LeaseHolder } from "../../hosts/liveness.ts";
import type { RunStore } from "../../hosts/store.ts";
import type { WatchedRun } from "./watched-run.ts";

export interface Driving {
  readonly driver: LeaseHolder | null;
  /** It has no end, and nobody drives it. */
  readonly isCutOff: boolean;
}

export async function drivingOf({ state, reader }: WatchedRun, store: RunStore): Promise<Driving> {
  if (state.status !== "running") return { driver: null, isCutOff: false };
  const holder = await reader.holder();
  const driver = holder && (await store.state.liveness.holderIsAlive(holder, Date.now())) ? holder : null;
  return { driver, isCutOff: driver === null };
}
