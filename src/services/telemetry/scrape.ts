// `/metrics`: what this process counted, and what waits in the store right now.
import type { BreakerState } from "../../engine/guard/resilience/breaker-state.ts";
import type { RunStore } from "../../hosts/store.ts";
import { metricsOfProcess } from "./index.ts";
import { prometheusText } from "./prometheus.ts";

export async function scrape({ state }: Pick<RunStore, "state">): Promise<string> {
  const breakers = await state.breakers.list();
  const [letters, retrying] = await Promise.all([
    state.letters.list({ status: "open" }),
    state.letters.list({ status: "retrying" }),
  ]);
  return prometheusText(metricsOfProcess, {
    openBreakers: breakers.filter(({ state: one }) => (one as BreakerState).status !== "closed").length,
    letters: letters.length + retrying.length,
    gates: (await state.gates.pending()).length,
  });
}
