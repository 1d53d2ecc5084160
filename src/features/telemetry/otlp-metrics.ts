// The same as OTLP has it: sums since the process began, and what waits right now.
import { randomUUID } from "node:crypto";
import {
  BUCKETS,
  type Gauged,
  INSTRUMENTS,
  type Instrument,
  type InstrumentName,
  type ProcessMetrics,
} from "./metrics.ts";
import { attributesOf, otlpBody, post, shownTarget, type Target } from "./trace/otlp.ts";
import type { Span } from "./trace/span.ts";

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
  const { name: full, unit, about: description } = INSTRUMENTS[name];
  return { name: full, unit, description };
}

const numberOf = (value: number): { readonly asInt: string } | { readonly asDouble: number } =>
  Number.isInteger(value) ? { asInt: String(value) } : { asDouble: value };

const nanos = (ms: number): string => `${Math.trunc(ms)}000000`;

// Sends what was measured, now and then and in the background. A collector that is down costs nothing but one warning: what
// could not be sent is dropped.

const EVERY_MS = 1000;
/** More than this and the collector does not keep up. */
const MOST_SPANS = 4096;
/** How long the end of a run waits for a slow collector. */
const LAST_CALL_MS = 500;

export interface ExporterOptions {
  /** Of the run: an exporter is of one drive. */
  readonly traceId: string;
  readonly traces: Target;
  /** Nothing where only a place for traces is named. */
  readonly metrics: Target | undefined;
  readonly service: string;
  readonly version: string;
  /** What has been counted so far, as the protocol has it; `isLast`: when the drive ends, with what waits in the store. */
  readonly measured: (isLast: boolean) => Promise<object | undefined>;
}

export class Exporter {
  #waiting: Span[] = [];
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();
  /** Why nothing could be sent, once. */
  #problem: string | undefined;

  constructor(private readonly options: ExporterOptions) {}

  readonly send = (spans: readonly Span[]): void => {
    if (this.#waiting.length + spans.length > MOST_SPANS) {
      this.#dropped += spans.length;
      return;
    }
    this.#waiting.push(...spans);
    if (this.#timer) return;
    this.#timer = setTimeout(() => void this.#flush(false), EVERY_MS);
    this.#timer.unref();
  };

  /** Sends the rest and says what went wrong, if anything did. */
  async end(): Promise<string | undefined> {
    const done = this.#flush(true);
    let timer: NodeJS.Timeout | undefined;
    const isSent = await Promise.race([
      done.then(() => true),
      new Promise<false>((resolve) => {
        timer = setTimeout(() => resolve(false), LAST_CALL_MS);
      }),
    ]);
    clearTimeout(timer);
    const problem = this.#problem ?? (isSent ? undefined : this.#late());
    const dropped = this.#dropped;
    this.#problem = undefined;
    this.#dropped = 0;
    if (problem !== undefined) return problem;
    return dropped > 0 ? `it is too slow: ${dropped} spans were dropped` : undefined;
  }

  #late(): string {
    return `${shownTarget(this.options.traces.url)}: it did not answer within ${LAST_CALL_MS} ms, and what was left is dropped`;
  }

  #flush(isLast: boolean): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const spans = this.#waiting;
    this.#waiting = [];
    this.#sending = this.#sending.then(() => this.#sendAll(spans, isLast));
    return this.#sending;
  }

  async #sendAll(spans: readonly Span[], isLast: boolean): Promise<void> {
    const { traceId: trace_id, service, version, measured } = this.options;
    if (spans.length > 0) await this.#post(this.options.traces, otlpBody({ trace_id, spans }, service, version));
    const { metrics } = this.options;
    const counted = metrics && (await measured(isLast));
    if (counted) await this.#post(metrics, counted);
  }

  async #post(target: Target, body: object): Promise<void> {
    const problem = await post(target, JSON.stringify(body));
    if (problem !== undefined) this.#problem ??= `${shownTarget(target.url)}: ${problem}`;
  }
}
