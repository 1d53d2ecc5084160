// The tables of what runs share, over either host; the index of runs is each host's own, since only a fleet has drives and leases.
import type { SharedState } from "../shared-state.ts";
import { cacheTable } from "./cache.ts";
import { type FiringTableOptions, firingTable } from "./firings.ts";
import { type GateTable, gateTable } from "./gates.ts";
import { letterTable } from "./letters.ts";
import { namedStateTable } from "./named-states.ts";
import { runningTable } from "./running.ts";
import { slotTable } from "./slots.ts";
import type { StateHost } from "./sql.ts";

export interface SharedTables extends Required<Omit<SharedState, "runs" | "liveness">> {
  readonly gates: GateTable;
}

export const sharedTables = (host: StateHost, firings: FiringTableOptions): SharedTables => ({
  breakers: namedStateTable(host, "breakers"),
  limits: namedStateTable(host, "limits"),
  letters: letterTable(host),
  cache: cacheTable(host),
  gates: gateTable(host),
  slots: slotTable(host),
  running: runningTable(host),
  firings: firingTable(host, firings),
});

/** Of a host that has done everything when it returns. */
export type SyncTables = {
  readonly [Name in keyof SharedTables]: Sync<SharedTables[Name]>;
};

type Sync<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends (...given: infer Given) => infer Answer
    ? (...given: Given) => Awaited<Answer>
    : Table[Name];
};
