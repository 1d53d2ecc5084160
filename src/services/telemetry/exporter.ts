// Sends what was measured, now and then and in the background. A collector that is down costs nothing but one warning: what
// could not be sent is dropped.

import { otlpBody, post, shownTarget, type Target } from "../trace/otlp.ts";
import type { Span } from "../trace/span.ts";

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
  readonly #options: ExporterOptions;
  #waiting: Span[] = [];
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();
  /** Why nothing could be sent, once. */
  #problem: string | undefined;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

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
    return `${shownTarget(this.#options.traces.url)}: it did not answer within ${LAST_CALL_MS} ms, and what was left is dropped`;
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
    const { traceId: trace_id, service, version, measured } = this.#options;
    if (spans.length > 0) await this.#post(this.#options.traces, otlpBody({ trace_id, spans }, service, version));
    const { metrics } = this.#options;
    const counted = metrics && (await measured(isLast));
    if (counted) await this.#post(metrics, counted);
  }

  async #post(target: Target, body: object): Promise<void> {
    const problem = await post(target, JSON.stringify(body));
    if (problem !== undefined) this.#problem ??= `${shownTarget(target.url)}: ${problem}`;
  }
}
