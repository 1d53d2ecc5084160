// The same as OTLP has it: sums since the process began, and what waits right now.
import { randomUUID } from "node:crypto";
import { attributesOf } from "../trace/otlp.ts";
import type { Gauged } from "./gauges.ts";
import { BUCKETS, INSTRUMENTS, type Instrument, type InstrumentName } from "./instruments.ts";
import type { ProcessMetrics } from "./metrics.ts";

const CUMULATIVE = 2;
/** Sums are of one process: without it those of two would be taken for one that goes up and down. */
const INSTANCE = randomUUID();

export interface Measured {
  readonly metrics: ProcessMetrics;
  readonly gauged: readonly Gauged[];
  readonly now: number;
  /** The one that this process serves, on a fleet that is made of cells. */
  readonly cell?: string;
}

export function otlpMetrics(
  { metrics, gauged, now, cell }: Measured,
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
        ...numberOf(value),
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
  const names = new Set(gauged.flatMap(({ gauges }) => Object.keys(gauges) as InstrumentName[]));
  const standing = [...names].map((name) => ({
    ...about(name),
    gauge: {
      dataPoints: gauged.flatMap(({ labels, gauges }) => {
        const value = gauges[name];
        return value === undefined
          ? []
          : [{ timeUnixNano: nanos(now), attributes: attributesOf(labels), ...numberOf(value) }];
      }),
    },
  }));
  const all = [...sums, ...histograms, ...standing];
  if (all.length === 0) return undefined;
  return {
    resourceMetrics: [
      {
        resource: {
          attributes: attributesOf({
            "service.name": service,
            "service.version": version,
            "service.instance.id": INSTANCE,
            ...(cell === undefined ? {} : { "segno.cell": cell }),
          }),
        },
        scopeMetrics: [{ scope: { name: "segno", version }, metrics: all }],
      },
    ],
  };
}

function about(name: InstrumentName): Pick<Instrument, "name" | "unit"> & { readonly description: string } {
  const { name: full, unit, about: description }: Instrument = INSTRUMENTS[name];
  return { name: full, unit, description };
}

const numberOf = (value: number): { readonly asInt: string } | { readonly asDouble: number } =>
  Number.isInteger(value) ? { asInt: String(value) } : { asDouble: value };

const nanos = (ms: number): string => `${Math.trunc(ms)}000000`;
