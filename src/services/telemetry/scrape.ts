// `/metrics`: what this process counted, and what waits in the store right now.
import type { RunStore } from "../../hosts/store.ts";
import { gaugesOf } from "./gauges.ts";
import { metricsOfProcess } from "./index.ts";
import { prometheusText } from "./prometheus.ts";

/** `cell`: the one that this process serves. */
export const scrape = async (store: Pick<RunStore, "state" | "fleet" | "eachCell">, cell?: string): Promise<string> =>
  prometheusText(metricsOfProcess, await gaugesOf(store), cell === undefined ? {} : { cell });
