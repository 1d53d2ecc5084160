// A circuit breaker by itself, whose state is in memory or in a cell that answers at once (far away: shared-breaker.ts), and
// what an error says about the health of what was called.
import { calledWrong } from "../../../base/errors/called-wrong.ts";
import { matches, type Raised, raised } from "../../../base/errors/index.ts";
import type { BreakerSettings, BreakerState, Probe, Transition } from "./breaker-state.ts";
import { type AskableBreaker, SharedBreaker } from "./shared-breaker.ts";

/** Where a breaker's state is kept. `update` must be atomic; giving back the same object writes nothing. */
export interface BreakerCell {
  get(): BreakerState | undefined;
  update(change: (state: BreakerState | undefined) => BreakerState): BreakerState;
}

export interface BreakerWorld {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly cell?: BreakerCell;
  /** Names a probe: different for every call of every process. */
  readonly newProbe?: () => string;
  /** Whether a probe's result will never be reported; by default that of one older than `recovery_timeout`. */
  readonly isGone?: (probe: Probe) => boolean;
}

/** Leave to make one call. Report on it once: `succeeded`, `failed`, or `gaveUp` when there is nothing to report. */
export interface Pass {
  readonly transition?: Transition;
  succeeded(): Transition | undefined;
  failed(): Transition | undefined;
  gaveUp(): void;
}

export type BreakerAnswer =
  | { readonly admitted: true; readonly pass: Pass }
  | { readonly admitted: false; readonly openedAt: number; readonly retryAfterSeconds: number };

/** Thrown by `run` when the breaker refused. */
export class CircuitOpenError extends Error {
  constructor(
    readonly breaker: string,
    readonly retryAfterSeconds: number,
    readonly openedAt?: number,
  ) {
    super(openText(breaker, retryAfterSeconds));
    this.name = "CircuitOpenError";
  }
}

/**
 * Stops calling what keeps failing, for a while.
 *
 * @example
 * const breaker = new CircuitBreaker("api", { failure_threshold: 3 }, { now: Date.now });
 * const page = await breaker.run(() => fetch("https://api.example.com/"));
 */
export class CircuitBreaker implements AskableBreaker {
  readonly name: string;
  readonly settings: BreakerSettings;
  readonly #breaker: SharedBreaker;

  constructor(name: string, settings: Partial<BreakerSettings>, world: BreakerWorld) {
    if (typeof name !== "string" || typeof world?.now !== "function")
      throw calledWrong("CircuitBreaker takes a name, settings, and { now: Date.now }");
    this.#breaker = new SharedBreaker(name, settings, { ...world, cell: world.cell ?? new MemoryCell() });
    this.name = name;
    this.settings = this.#breaker.settings;
  }

  /** As it is now. Reading never changes it: an open one stays open until a caller asks to call. */
  get state(): BreakerState {
    // Its cell answers at once, so nothing here is ever a promise.
    return this.#breaker.state as BreakerState;
  }

  /** Asks for leave to call. */
  ask(): BreakerAnswer {
    return this.#breaker.ask() as BreakerAnswer;
  }

  /** Calls under the breaker. `counts` says which errors are failures of health; all of them when left out. */
  async run<Value>(call: () => Promise<Value>, counts: (error: unknown) => boolean = () => true): Promise<Value> {
    if (typeof call !== "function" || typeof counts !== "function")
      throw calledWrong("`run` of a breaker takes the function to call, and one that says which errors count");
    const asked = this.ask();
    if (!asked.admitted) throw new CircuitOpenError(this.name, asked.retryAfterSeconds, asked.openedAt);
    try {
      const value = await call();
      asked.pass.succeeded();
      return value;
    } catch (error) {
      if (counts(error)) asked.pass.failed();
      else asked.pass.succeeded();
      throw error;
    }
  }
}

class MemoryCell implements BreakerCell {
  #state: BreakerState | undefined;

  get(): BreakerState | undefined {
    return this.#state;
  }

  update(change: (state: BreakerState | undefined) => BreakerState): BreakerState {
    this.#state = change(this.#state);
    return this.#state;
  }
}

/** Kinds that are failures of health; the caller's own mistakes say nothing about the other side. */
const HEALTH: readonly string[] =
  "provider.exhausted http.unavailable http.network internal.timeout mcp.protocol_error".split(" ");

/** Whatever the other side answered, it answered; only what went wrong on this side of the call says nothing of it. */
export function healthOf(errors: readonly Raised[], counts: readonly string[] = HEALTH): "well" | "ill" | "unknown" {
  if (errors.length === 0) return "well";
  if (errors.some(({ kind }) => matches(counts, kind))) return "ill";
  return errors.some(({ kind }) => kind.startsWith("internal.") || kind === "circuit.open") ? "unknown" : "well";
}

/**
 * The error of a call that the breaker did not let through. `openedAt`: epoch milliseconds, where it is known.
 * `waitedSeconds`: of a call that waited for it (`when_open: wait`).
 */
export function circuitOpen(breaker: string, seconds: number, openedAt?: number, waitedSeconds?: number): Raised {
  const after = Math.ceil(seconds * 1000) / 1000;
  const waited =
    waitedSeconds === undefined ? "" : `; the call waited for it for ${Math.round(waitedSeconds)} s (max_wait)`;
  return raised("circuit.open", `${openText(breaker, after)}${waited}`, {
    breaker,
    ...(openedAt === undefined ? {} : { opened_at: new Date(openedAt).toISOString() }),
    retry_after: after,
    retry_after_seconds: after,
    ...(waitedSeconds === undefined ? {} : { waited_seconds: waitedSeconds }),
  });
}

const openText = (breaker: string, seconds: number): string =>
  `the circuit ${breaker} is open; it lets calls through again in ${seconds < 1 ? seconds.toFixed(2) : Math.ceil(seconds)} s`;
