// What is counted: one table, from which the exposition for Prometheus, the one for OTLP and the docs are made.
import type { BreakerState } from "../../engine/guard/resilience/breaker-state.ts";
import type { RunStore } from "../../hosts/store.ts";

export interface Instrument {
  readonly name: string;
  readonly kind: "counter" | "gauge" | "histogram";
  readonly unit: string;
  readonly about: string;
}

export const INSTRUMENTS = {
  runs: { name: "segno.runs", kind: "counter", unit: "{run}", about: "Drives of runs that ended, by status." },
  runSeconds: { name: "segno.run.duration", kind: "histogram", unit: "s", about: "How long drives of runs took." },
  steps: {
    name: "segno.steps",
    kind: "counter",
    unit: "{step}",
    about: "Attempts at steps, by type, outcome and error kind.",
  },
  stepSeconds: { name: "segno.step.duration", kind: "histogram", unit: "s", about: "How long attempts took, by type." },
  retries: { name: "segno.retries", kind: "counter", unit: "{retry}", about: "Retries, by error kind." },
  reused: { name: "segno.steps.reused", kind: "counter", unit: "{step}", about: "Steps that were not run again." },
  tokens: {
    name: "segno.tokens",
    kind: "counter",
    unit: "{token}",
    about: "Tokens of models, by model and direction.",
  },
  cost: { name: "segno.cost", kind: "counter", unit: "USD", about: "What models cost, by model." },
  openBreakers: {
    name: "segno.breakers.open",
    kind: "gauge",
    unit: "{breaker}",
    about: "Circuit breakers that are open.",
  },
  letters: { name: "segno.letters", kind: "gauge", unit: "{letter}", about: "Dead letters that wait." },
  gates: { name: "segno.gates", kind: "gauge", unit: "{gate}", about: "Questions that wait for a person." },
  queued: { name: "segno.queue.depth", kind: "gauge", unit: "{run}", about: "Runs of a fleet that wait for a worker." },
  delayed: {
    name: "segno.queue.delayed",
    kind: "gauge",
    unit: "{run}",
    about: "Runs of a fleet that wait for their time.",
  },
  queueSeconds: { name: "segno.queue.age", kind: "gauge", unit: "s", about: "How long the oldest has waited." },
} as const satisfies Readonly<Record<string, Instrument>>;

export type InstrumentName = keyof typeof INSTRUMENTS;

/** Upper ends of the histograms' buckets, in seconds: from a shell command to a night. */
export const BUCKETS: readonly number[] = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600, 14400];

// What waits in the store right now: read on each request, not counted.

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
