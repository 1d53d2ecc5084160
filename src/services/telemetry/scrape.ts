// `/metrics`: what this process counted, and what waits in the store right now.
import type { RunStore } from "../../hosts/store.ts";
import { metricsOfProcess } from "./index.ts";
import {
  BUCKETS,
  type Gauged,
  gaugesOf,
  INSTRUMENTS,
  type Instrument,
  type InstrumentName,
  type Labels,
  type ProcessMetrics,
} from "./metrics.ts";

/** `cell`: the one that this process serves. */
export const scrape = async (store: Pick<RunStore, "state" | "fleet" | "eachCell">, cell?: string): Promise<string> =>
  prometheusText(metricsOfProcess, await gaugesOf(store), cell === undefined ? {} : { cell });

/** The text that Prometheus scrapes. `common`: labels of everything that is here. */
export function prometheusText(metrics: ProcessMetrics, gauged: readonly Gauged[], common: Labels = {}): string {
  const names = Object.keys(INSTRUMENTS) as InstrumentName[];
  return names.map((name) => family(name, metrics, gauged, common)).join("");
}

function family(name: InstrumentName, metrics: ProcessMetrics, gauged: readonly Gauged[], common: Labels): string {
  const labelText = (labels: Labels): string => labelsAsText({ ...common, ...labels });
  const instrument: Instrument = INSTRUMENTS[name];
  const base = baseName(instrument);
  const lines: string[] = [];
  for (const { labels, value } of metrics.counters.get(name)?.values() ?? [])
    lines.push(`${base}${labelText(labels)} ${value}`);
  for (const { labels, counts, sum } of metrics.histograms.get(name)?.values() ?? []) {
    let total = 0;
    for (const [at, count] of counts.entries()) {
      total += count;
      lines.push(
        `${base}_bucket${labelText({ ...labels, le: at < BUCKETS.length ? `${BUCKETS[at]}` : "+Inf" })} ${total}`,
      );
    }
    lines.push(`${base}_sum${labelText(labels)} ${sum}`, `${base}_count${labelText(labels)} ${total}`);
  }
  for (const { labels, gauges } of gauged)
    if (gauges[name] !== undefined) lines.push(`${base}${labelText(labels)} ${gauges[name]}`);
  if (lines.length === 0) return "";
  return `# HELP ${base} ${instrument.about}\n# TYPE ${base} ${instrument.kind}\n${lines.join("\n")}\n`;
}

const UNITS: Readonly<Record<string, string>> = { s: "_seconds", USD: "_usd" };

/** Prometheus knows no dots, wants the unit in the name, and `_total` behind counters. */
const baseName = ({ name, kind, unit }: Instrument): string =>
  `${name.replaceAll(".", "_")}${UNITS[unit] ?? ""}${kind === "counter" ? "_total" : ""}`;

function labelsAsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const escaped = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
