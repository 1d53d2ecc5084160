// What waits in the store right now: read on each request, not counted.
import type { BreakerState } from "../../engine/guard/resilience/breaker-state.ts";
import type { RunStore } from "../../hosts/store.ts";
import type { InstrumentName } from "./instruments.ts";

export type Gauges = Partial<Readonly<Record<InstrumentName, number>>>;

export async function gaugesOf({ state, fleet }: Pick<RunStore, "state" | "fleet">): Promise<Gauges> {
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
