// Who drives a run now, if anybody does. Its events do not say: a process that is gone left no word.
import type { RunState } from "../../events/state/state.ts";
import type { RunReader } from "../../hosts/run-reader.ts";
import type { RunStore } from "../../hosts/store.ts";
import { inQueue } from "../fleet/queued-run.ts";
import { refusedDrive } from "../fleet/refused-drive.ts";
import { nowOf } from "../session/store.ts";

export async function whoDrives(
  { state, reader }: { readonly state: Pick<RunState, "status">; readonly reader: RunReader },
  store: RunStore,
  now: number = nowOf(store),
) {
  const isUnderway = state.status === "running";
  const holder = isUnderway ? await reader.holder() : undefined;
  const driver = holder && (await store.state.liveness.holderIsAlive(holder, now)) ? holder : null;
  const waiting = driver || !store.fleet ? undefined : await inQueue(store, await store.summary(reader.runId));
  // It has no end, no process drives it, and none will by itself.
  const isCutOff = isUnderway && driver === null && !waiting;
  return { driver, waiting, isCutOff, refused: isCutOff ? await refusedDrive(store, reader.runId) : undefined };
}

export interface DrivingProcess {
  readonly pid: number;
  readonly host: string;
  /** On a fleet: the worker's own name. */
  readonly worker?: string;
}

export const driverName = ({ pid, host, worker }: DrivingProcess): string =>
  worker === undefined ? `pid ${pid} on ${host}` : `worker ${worker}`;
