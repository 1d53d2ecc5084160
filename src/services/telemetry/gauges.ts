// What waits in the store right now: read on each request, not counted.
import type { BreakerState } from "../../engine/guard/resilience/breaker-state.ts";
import type { RunStore } from "../../hosts/store.ts";
import type { InstrumentName } from "./instruments.ts";
import type { Labels } from "./metrics.ts";

export type Gauges = Partial<Readonly<Record<InstrumentName, number>>>;

/** With labels that tell them apart: those of each cell, where the store is made of cells. */
export interface Gauged {
  readonly labels: Labels;
  readonly gauges: Gauges;
}

type Asked = Pick<RunStore, "state" | "fleet" | "eachCell">;

export async function gaugesOf(store: Asked): Promise<readonly Gauged[]> {
  if (!store.eachCell) return [{ labels: {}, gauges: await gaugesOfOne(store) }];
  const cells = await store.eachCell(gaugesOfOne);
  return cells.map(({ cell, answer }) => ({ labels: { cell }, gauges: answer }));
}

async function gaugesOfOne({ state, fleet }: Asked): Promise<Gauges> {
  const breakers = await state.breakers.list();
  const letters = await state.letters.list({ status: ["open", "retrying"] });
  const queue = await fleet?.queue();
  return {
    openBreakers: breakers.filter(({ state: one }) => (one as BreakerState).status !== "closed").length,
    letters: letters.length,
    gates: (await state.gates.pending()).length,
    ...(queue ? { queued: queue.waiting, delayed: queue.delayed, queueSeconds: (queue.oldestMs ?? 0) / 1000 } : {}),
  };
}
