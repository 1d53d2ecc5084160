// One circuit breaker: asked before a call, told after. Its state is wherever the caller keeps it, so that many
// processes can share one; by itself it is held in memory.
import {
  admit,
  BREAKER_DEFAULTS,
  type BreakerSettings,
  type BreakerState,
  CLOSED,
  fail,
  giveBack,
  type Probe,
  succeed,
  type Transition,
} from "./breaker-state.ts";

/** Where a breaker's state is kept. `update` must let nobody in between; giving back the same object writes nothing. */
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
  /** Whether nobody will report on a probe any more; by default one that is out for longer than `recovery_timeout`. */
  readonly isGone?: (probe: Probe) => boolean;
}

/** Leave to make one call. Report on it once: `succeeded`, `failed`, or `gaveUp` when there is nothing to tell. */
export interface Pass {
  readonly transition?: Transition;
  succeeded(): Transition | undefined;
  failed(): Transition | undefined;
  gaveUp(): void;
}

export type Asked =
  | { readonly admitted: true; readonly pass: Pass }
  | { readonly admitted: false; readonly openedAt: number; readonly retryAfterSeconds: number };

/** Thrown by `run` when the breaker refused. */
export class CircuitOpenError extends Error {
  constructor(
    readonly breaker: string,
    readonly retryAfterSeconds: number,
  ) {
    super(`the circuit ${breaker} is open; it lets calls through again in ${Math.ceil(retryAfterSeconds)} s`);
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
export class CircuitBreaker {
  readonly name: string;
  readonly settings: BreakerSettings;
  readonly #now: () => number;
  readonly #cell: BreakerCell;
  readonly #newProbe: () => string;
  readonly #isGone: (probe: Probe) => boolean;

  constructor(name: string, settings: Partial<BreakerSettings>, world: BreakerWorld) {
    this.name = name;
    this.settings = { ...BREAKER_DEFAULTS, ...settings };
    this.#now = world.now;
    this.#cell = world.cell ?? new MemoryCell();
    this.#newProbe = world.newProbe ?? counter();
    this.#isGone =
      world.isGone ?? (({ since }) => Math.abs(this.#now() - since) > this.settings.recovery_timeout * 1000);
  }

  /** As it stands. Reading never changes it: an open one stays open until somebody asks to call. */
  get state(): BreakerState {
    return this.#cell.get() ?? CLOSED;
  }

  /** Asks for leave to call. */
  ask(): Asked {
    // Closed is what it nearly always is, and then nothing needs to be written.
    if (this.state.status === "closed") return { admitted: true, pass: this.#pass("", undefined) };
    const probe = this.#newProbe();
    const asking = { now: this.#now(), probe, isGone: this.#isGone };
    const { made } = this.#change((state) => {
      const admission = admit(state, this.settings, asking);
      return { state: admission.state, made: admission };
    });
    if (made.admitted) return { admitted: true, pass: this.#pass(made.probe ? probe : "", made.transition) };
    const openedAt = "openedAt" in made.state ? made.state.openedAt : asking.now;
    return { admitted: false, openedAt, retryAfterSeconds: made.retryAfterMs / 1000 };
  }

  /** Calls under the breaker. `counts` says which errors are failures of health; all of them when left out. */
  async run<Value>(call: () => Promise<Value>, counts: (error: unknown) => boolean = () => true): Promise<Value> {
    const asked = this.ask();
    if (!asked.admitted) throw new CircuitOpenError(this.name, asked.retryAfterSeconds);
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

  #pass(probe: string, transition: Transition | undefined): Pass {
    let told = false;
    const once = <Made>(report: () => Made): Made | undefined => {
      if (told) return undefined;
      told = true;
      return report();
    };
    return {
      ...(transition ? { transition } : {}),
      succeeded: () =>
        once(() => {
          const { status, failures } = this.state;
          if (status === "closed" && failures === 0) return undefined;
          return this.#change((state) => transitionOf(succeed(state, this.settings, probe))).made;
        }),
      failed: () =>
        once(() => this.#change((state) => transitionOf(fail(state, this.settings, probe, this.#now()))).made),
      gaveUp: () => {
        once(() => {
          if (probe !== "") this.#change((state) => ({ state: giveBack(state, probe), made: undefined }));
        });
      },
    };
  }

  #change<Made>(change: (state: BreakerState) => { readonly state: BreakerState; readonly made: Made }): {
    readonly made: Made;
  } {
    let made: { readonly made: Made } | undefined;
    this.#cell.update((before) => {
      const state = before ?? CLOSED;
      const changed = change(state);
      made = { made: changed.made };
      return changed.state === state && before ? before : changed.state;
    });
    if (!made) throw new Error(`the state of the circuit ${this.name} was not updated`);
    return made;
  }
}

const transitionOf = ({ state, transition }: { readonly state: BreakerState; readonly transition?: Transition }) => ({
  state,
  made: transition,
});

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

function counter(): () => string {
  let last = 0;
  return () => String(++last);
}
