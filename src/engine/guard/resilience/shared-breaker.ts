// One circuit breaker whose state may be in a remote store: asked before a call, updated after it. It answers at once
// where the store does, else with a promise.
import { type Awaitable, mapMaybe, sequence } from "../../../base/awaitable.ts";
import {
  admit,
  BREAKER_DEFAULTS,
  type BreakerSettings,
  type BreakerState,
  CLOSED,
  countFailure,
  countSuccess,
  giveBack,
  type Probe,
  type Reported,
  type Transition,
} from "./breaker-state.ts";

/** Where a breaker's state is kept. `update` must be atomic; giving back the same object writes nothing. */
export interface SharedCell {
  get(): Awaitable<BreakerState | undefined>;
  update(change: (state: BreakerState | undefined) => BreakerState): Awaitable<BreakerState>;
}

export interface SharedBreakerWorld {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly cell: SharedCell;
  /** Names a probe: different for every call of every process. */
  readonly newProbe?: () => Awaitable<string>;
  /** Whether a probe's result will never be reported; by default that of one older than `recovery_timeout`. */
  readonly isGone?: (probe: Probe) => Awaitable<boolean>;
}

/** Leave to make one call. Report on it once: `succeeded`, `failed`, or `gaveUp` when there is nothing to report. */
export interface SharedPass {
  readonly transition?: Transition;
  succeeded(): Awaitable<Transition | undefined>;
  failed(): Awaitable<Transition | undefined>;
  gaveUp(): void | Promise<void>;
}

export type SharedBreakerAnswer =
  | { readonly admitted: true; readonly pass: SharedPass }
  | { readonly admitted: false; readonly openedAt: number; readonly retryAfterSeconds: number };

/** A breaker as those who call under it see it. */
export interface AskableBreaker {
  readonly name: string;
  /** Reading never changes it: an open one stays open until a caller asks to call. */
  readonly state: Awaitable<BreakerState>;
  /** Asks for leave to call. */
  ask(): Awaitable<SharedBreakerAnswer>;
}

export class SharedBreaker implements AskableBreaker {
  readonly settings: BreakerSettings;
  readonly #now: () => number;
  readonly #cell: SharedCell;
  readonly #newProbe: () => Awaitable<string>;
  readonly #isGone: (probe: Probe) => Awaitable<boolean>;

  constructor(
    readonly name: string,
    settings: Partial<BreakerSettings>,
    world: SharedBreakerWorld,
  ) {
    this.settings = { ...BREAKER_DEFAULTS, ...settings };
    this.#now = world.now;
    this.#cell = world.cell;
    this.#newProbe = world.newProbe ?? counter();
    this.#isGone =
      world.isGone ?? (({ since }) => Math.abs(this.#now() - since) > this.settings.recovery_timeout * 1000);
  }

  get state(): Awaitable<BreakerState> {
    return mapMaybe(this.#cell.get(), (state) => state ?? CLOSED);
  }

  ask(): Awaitable<SharedBreakerAnswer> {
    return mapMaybe(this.state, (state): Awaitable<SharedBreakerAnswer> => {
      // Closed is what it nearly always is, and then nothing needs to be written.
      if (state.status === "closed") return { admitted: true, pass: this.#pass("", undefined) };
      return mapMaybe(this.#newProbe(), (probe) => mapMaybe(this.#gone(state), (gone) => this.#askWith(probe, gone)));
    });
  }

  #askWith(probe: string, gone: ReadonlySet<string>): Awaitable<SharedBreakerAnswer> {
    const asking = { now: this.#now(), probe, isGone: ({ id }: Probe) => gone.has(id) };
    const changed = this.#change((state) => {
      const admission = admit(state, this.settings, asking);
      return { state: admission.state, made: admission };
    });
    return mapMaybe(changed, (made) => {
      if (made.admitted) return { admitted: true, pass: this.#pass(made.probe ? probe : "", made.transition) };
      const openedAt = "openedAt" in made.state ? made.state.openedAt : asking.now;
      return { admitted: false, openedAt, retryAfterSeconds: made.retryAfterMs / 1000 };
    });
  }

  /** Asked before `update`, which must not wait; a probe that is added in between is not gone yet. */
  #gone(state: BreakerState): Awaitable<ReadonlySet<string>> {
    const gone = new Set<string>();
    if (state.status !== "half_open") return gone;
    const looks = state.probes.map((probe) => () => {
      const look = this.#isGone(probe);
      return mapMaybe(look, (isGone) => {
        if (isGone) gone.add(probe.id);
      });
    });
    return mapMaybe(sequence(...looks), () => gone);
  }

  #pass(probe: string, transition: Transition | undefined): SharedPass {
    let isReported = false;
    const once = <Made>(report: () => Made): Made | undefined => {
      if (isReported) return undefined;
      isReported = true;
      return report();
    };
    return {
      ...(transition ? { transition } : {}),
      succeeded: () =>
        once(() =>
          mapMaybe(this.state, ({ status, failures }) => {
            if (status === "closed" && failures === 0) return undefined;
            return this.#change((state) => transitionOf(countSuccess(state, this.settings, probe)));
          }),
        ),
      failed: () =>
        once(() => this.#change((state) => transitionOf(countFailure(state, this.settings, probe, this.#now())))),
      gaveUp: () =>
        once(() => {
          if (probe === "") return undefined;
          return this.#change((state) => ({ state: giveBack(state, probe), made: undefined }));
        }),
    };
  }

  #change<Made>(
    change: (state: BreakerState) => { readonly state: BreakerState; readonly made: Made },
  ): Awaitable<Made> {
    let made: { readonly made: Made } | undefined;
    const updated = this.#cell.update((before) => {
      const state = before ?? CLOSED;
      const changed = change(state);
      made = { made: changed.made };
      return changed.state === state && before ? before : changed.state;
    });
    return mapMaybe(updated, () => {
      if (!made) throw new Error(`the state of the circuit ${this.name} was not updated`);
      return made.made;
    });
  }
}

const transitionOf = ({ state, transition }: Reported) => ({ state, made: transition });

function counter(): () => string {
  let last = 0;
  return () => String(++last);
}
