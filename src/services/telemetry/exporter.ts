// Sends what was measured, now and then and in the background. A collector that is down costs nothing but one warning: what
// could not be sent is dropped.

import { otlpBody, post, type Target } from "../trace/otlp.ts";
import type { Trace } from "../trace/span.ts";

const EVERY_MS = 1000;
/** More than this and the collector does not keep up. */
const MOST_SPANS = 4096;
/** How long the end of a run waits for a slow collector. */
const LAST_CALL_MS = 3000;

export interface ExporterOptions {
  readonly traces: Target;
  readonly metrics: Target;
  readonly service: string;
  readonly version: string;
  /** What has been counted so far, as the protocol has it. */
  readonly measured: () => object | undefined;
}

export class Exporter {
  readonly #options: ExporterOptions;
  #waiting: Trace[] = [];
  #count = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();
  /** Why nothing could be sent, once. */
  #problem: string | undefined;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  readonly send = (trace: Trace): void => {
    if (this.#count + trace.spans.length > MOST_SPANS) {
      this.#dropped += trace.spans.length;
      return;
    }
    this.#waiting.push(trace);
    this.#count += trace.spans.length;
    if (this.#timer) return;
    this.#timer = setTimeout(() => void this.#flush(), EVERY_MS);
    this.#timer.unref();
  };

  /** Sends the rest and says what went wrong, if anything did. */
  async end(): Promise<string | undefined> {
    const done = this.#flush();
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      done,
      new Promise<void>((resolve) => {
        timer = setTimeout(resolve, LAST_CALL_MS);
      }),
    ]);
    clearTimeout(timer);
    const problem = this.#problem;
    const dropped = this.#dropped;
    this.#problem = undefined;
    this.#dropped = 0;
    if (problem !== undefined) return problem;
    return dropped > 0 ? `it is too slow: ${dropped} spans were dropped` : undefined;
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const traces = this.#waiting;
    this.#waiting = [];
    this.#count = 0;
    this.#sending = this.#sending.then(() => this.#sendAll(traces));
    return this.#sending;
  }

  async #sendAll(traces: readonly Trace[]): Promise<void> {
    const { service, version, measured } = this.#options;
    const spans = traces.map((trace) => otlpBody(trace, service, version).resourceSpans[0]?.scopeSpans[0]?.spans ?? []);
    if (spans.length > 0) {
      const [first] = traces;
      const { resourceSpans } = otlpBody({ trace_id: first?.trace_id ?? "", spans: [] }, service, version);
      const scoped = resourceSpans.map((one) => ({
        ...one,
        scopeSpans: one.scopeSpans.map((scope) => ({ ...scope, spans: spans.flat() })),
      }));
      await this.#post(this.#options.traces, { resourceSpans: scoped });
    }
    const counted = measured();
    if (counted) await this.#post(this.#options.metrics, counted);
  }

  async #post({ url, headers }: Target, body: object): Promise<void> {
    const problem = await post(url, headers, JSON.stringify(body));
    if (problem !== undefined) this.#problem ??= `${url.replace(/\/\/[^/@]*@/, "//")}: ${problem}`;
  }
}
