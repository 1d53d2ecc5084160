// Counts what runs of this process did, and gives it to Prometheus. Labels are names out of workflow files, never
// values of a run.

import { keptIn } from "../../base/errors/mapping.ts";
import type { EventData, RunEvent } from "../../base/events/registry.ts";
import { statusAfter } from "../../base/events/run-end.ts";
import type { BreakerState } from "../../engine/guard/resilience/breaker-state.ts";
import type { RunStore } from "../../storage/store.ts";

export type Labels = Readonly<Record<string, string>>;

export interface Counted {
  readonly labels: Labels;
  value: number;
}

export interface Spread {
  readonly labels: Labels;
  /** How many were at most as large as the bucket's end, one for each bucket and one for all that were larger. */
  readonly counts: number[];
  sum: number;
}

export class ProcessMetrics {
  readonly since = Date.now();
  readonly counters = new Map<InstrumentName, Map<string, Counted>>();
  readonly histograms = new Map<InstrumentName, Map<string, Spread>>();

  /** Counts for one run; `workflow` is its name, `labelOf` gives a kind of error as a label. */
  see(event: RunEvent, workflow: string, labelOf: (kind: string) => string): void {
    switch (event.type) {
      case "agent_completed":
        this.#attempt(event.data, workflow, "ok", "");
        break;
      case "agent_failed": {
        const { kind, error_type } = event.data;
        // What is no envelope has a name of ours.
        this.#attempt(event.data, workflow, "failed", kind ? labelOf(kind) : error_type);
        break;
      }
      case "agent_cancelled":
        this.#attempt(event.data, workflow, "cancelled", "");
        break;
      case "agent_reused":
        this.#count("reused", { workflow });
        break;
      case "retry_scheduled":
        this.#count("retries", { workflow, kind: labelOf(event.data.kind) });
        break;
      case "workflow_completed":
      case "workflow_failed":
        this.#spread("runSeconds", { workflow }, event.data.elapsed);
        this.#count("runs", { workflow, status: statusAfter(event) });
        break;
      case "run_paused":
      case "run_cancelled":
        this.#count("runs", { workflow, status: statusAfter(event) });
    }
  }

  #attempt(data: AttemptData, workflow: string, outcome: string, kind: string): void {
    const { agent_type: type, elapsed, model = "", input_tokens, output_tokens, cost_usd } = data;
    this.#count("steps", { workflow, type, outcome, kind });
    this.#spread("stepSeconds", { workflow, type }, elapsed);
    if (input_tokens) this.#count("tokens", { workflow, model, direction: "input" }, input_tokens);
    if (output_tokens) this.#count("tokens", { workflow, model, direction: "output" }, output_tokens);
    if (cost_usd) this.#count("cost", { workflow, model }, cost_usd);
  }

  #count(name: InstrumentName, labels: Labels, by = 1): void {
    placed(this.counters, name, labels, (): Counted => ({ labels, value: 0 })).value += by;
  }

  #spread(name: InstrumentName, labels: Labels, seconds: number): void {
    const spread = placed(
      this.histograms,
      name,
      labels,
      (): Spread => ({ labels, counts: new Array<number>(BUCKETS.length + 1).fill(0), sum: 0 }),
    );
    const bucket = BUCKETS.findIndex((end) => seconds <= end);
    const at = bucket === -1 ? BUCKETS.length : bucket;
    spread.counts[at] = (spread.counts[at] ?? 0) + 1;
    spread.sum += seconds;
  }
}

type AttemptData = Pick<EventData<"agent_completed">, "agent_type" | "elapsed"> & Partial<EventData<"agent_usage">>;

function placed<Value>(
  all: Map<InstrumentName, Map<string, Value>>,
  name: InstrumentName,
  labels: Labels,
  make: () => Value,
): Value {
  return keptIn(
    keptIn(all, name, () => new Map<string, Value>()),
    JSON.stringify(labels),
    make,
  );
}

/** Of all runs that this process drives. */
export const metricsOfProcess = new ProcessMetrics();

// What is counted: one table, from which the exposition for Prometheus, the one for OTLP and the docs are made.

export interface Instrument {
  readonly name: string;
  readonly kind: "counter" | "gauge" | "histogram";
  readonly unit: string;
  readonly about: string;
}

type MakeInstrument = (name: string, unit: string, about: string) => Instrument;
const counter: MakeInstrument = (name, unit, about) => ({ name, kind: "counter", unit, about });
const gauge: MakeInstrument = (name, unit, about) => ({ name, kind: "gauge", unit, about });
const histogram: MakeInstrument = (name, unit, about) => ({ name, kind: "histogram", unit, about });

export const INSTRUMENTS = {
  runs: counter("segno.runs", "{run}", "Drives of runs that ended, by status."),
  runSeconds: histogram("segno.run.duration", "s", "How long drives of runs took."),
  steps: counter("segno.steps", "{step}", "Attempts at steps, by type, outcome and error kind."),
  stepSeconds: histogram("segno.step.duration", "s", "How long attempts took, by type."),
  retries: counter("segno.retries", "{retry}", "Retries, by error kind."),
  reused: counter("segno.steps.reused", "{step}", "Steps that were not run again."),
  tokens: counter("segno.tokens", "{token}", "Tokens of models, by model and direction."),
  cost: counter("segno.cost", "USD", "What models cost, by model."),
  openBreakers: gauge("segno.breakers.open", "{breaker}", "Circuit breakers that are open."),
  letters: gauge("segno.letters", "{letter}", "Dead letters that wait."),
  gates: gauge("segno.gates", "{gate}", "Questions that wait for a person."),
  queued: gauge("segno.queue.depth", "{run}", "Runs of a fleet that wait for a worker."),
  delayed: gauge("segno.queue.delayed", "{run}", "Runs of a fleet that wait for their time."),
  queueSeconds: gauge("segno.queue.age", "s", "How long the oldest has waited."),
};

export type InstrumentName = keyof typeof INSTRUMENTS;

/** Upper ends of the histograms' buckets, in seconds: from a shell command to a night. */
export const BUCKETS: readonly number[] = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600, 14400];

type Gauges = Partial<Readonly<Record<InstrumentName, number>>>;

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
  const instrument = INSTRUMENTS[name];
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
