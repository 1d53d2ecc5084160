// The same counts as OTLP has them: sums since the process began.
import { attributesOf } from "../trace/otlp.ts";
import { BUCKETS, INSTRUMENTS, type Instrument, type InstrumentName } from "./instruments.ts";
import type { ProcessMetrics } from "./metrics.ts";

const CUMULATIVE = 2;

export function otlpMetrics(
  metrics: ProcessMetrics,
  now: number,
  service: string,
  version: string,
): object | undefined {
  const times = { startTimeUnixNano: nanos(metrics.since), timeUnixNano: nanos(now) };
  const sums = [...metrics.counters].map(([name, points]) => ({
    ...about(name),
    sum: {
      aggregationTemporality: CUMULATIVE,
      isMonotonic: true,
      dataPoints: [...points.values()].map(({ labels, value }) => ({
        ...times,
        attributes: attributesOf(labels),
        ...(Number.isInteger(value) ? { asInt: String(value) } : { asDouble: value }),
      })),
    },
  }));
  const histograms = [...metrics.histograms].map(([name, points]) => ({
    ...about(name),
    histogram: {
      aggregationTemporality: CUMULATIVE,
      dataPoints: [...points.values()].map(({ labels, counts, sum }) => ({
        ...times,
        attributes: attributesOf(labels),
        count: String(counts.reduce((total, count) => total + count, 0)),
        sum,
        bucketCounts: counts.map(String),
        explicitBounds: BUCKETS,
      })),
    },
  }));
  if (sums.length + histograms.length === 0) return undefined;
  return {
    resourceMetrics: [
      {
        resource: { attributes: attributesOf({ "service.name": service, "service.version": version }) },
        scopeMetrics: [{ scope: { name: "segno", version }, metrics: [...sums, ...histograms] }],
      },
    ],
  };
}

function about(name: InstrumentName): Pick<Instrument, "name" | "unit"> & { readonly description: string } {
  const { name: full, unit, about: description }: Instrument = INSTRUMENTS[name];
  return { name: full, unit, description };
}

const nanos = (ms: number): string => `${Math.trunc(ms)}000000`;
