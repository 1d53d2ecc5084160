// Decides whether a drive still needs its worker. A drive that only waits, for longer than some seconds, or whose
// worker is about to exit, is left: everything is recorded, and another drive goes on from there as after a crash.

import type { EventType } from "../base/events/registry.ts";
import type {
  BranchBody,
  BranchOptions,
  Durable,
  SleepOptions,
  StepKind,
  Timed,
  UncountedTime,
} from "../engine/durable.ts";
import type { Fiber } from "../engine/fiber.ts";
import type { Spreading } from "../features/fleet/spread/spreading.ts";
import type { HostClock } from "./clock.ts";
import { Drive, type DriveOptions } from "./drive.ts";
import type { WaitOutcome } from "./open-questions.ts";
import { never } from "./pool.ts";

export class DriveLeft extends Error {
  override readonly name = "DriveLeft";

  /** `until`: when the run has something to do again, in epoch milliseconds; nothing when it has now. */
  constructor(readonly until: number | undefined) {
    super(until === undefined ? "the drive was handed over" : "the drive waits, and needs no worker meanwhile");
  }
}

export interface IdleReleaseOptions {
  readonly clock: HostClock;
  /** A wait that is longer than this needs no worker: milliseconds. */
  readonly longestWaitMs: number;
  /** Where branches of groups may run elsewhere, or this is that elsewhere. */
  readonly spreading?: Spreading;
}

/** So long nothing must have moved: between two steps there is a moment without work. */
const STILL_MS = 60;

export class IdleRelease {
  /** Fails with `DriveLeft`. */
  readonly left: Promise<never>;
  #leave: (reason: DriveLeft) => void = () => {};
  #busy = 0;
  #moves = 0;
  /** Time limits that are counting: only a drive counts them. */
  #limits = 0;
  /** Those that stand still while all that the drive waits for is a provider's limit. */
  #patientLimits = 0;
  readonly #asleep = new Map<symbol, { readonly until: number; readonly besideLimits: boolean }>();
  #isHandedOver = false;
  /** Waits pass at once: none is a reason to leave. */
  #isScripted = false;
  #looking: NodeJS.Timeout | undefined;
  /** Writes what is noted, before the drive is left. */
  #written: () => void | Promise<void> = () => {};

  constructor(private readonly options: IdleReleaseOptions) {
    this.left = new Promise((_, reject) => {
      this.#leave = reject;
    });
    this.left.catch(() => {});
  }

  /** The port of the drive. `isScripted`: its time is a scenario's, and its answers are used up here. */
  readonly portOf = (options: DriveOptions, isScripted = false): Drive => {
    this.#isScripted = isScripted;
    const spreading = isScripted ? undefined : this.options.spreading;
    const given = spreading?.portOptions(options) ?? options;
    // What is not begun any more is not recorded as begun: the drive that goes on would count another attempt.
    const isSilent = (type: EventType): boolean =>
      given.isSilent?.(type) === true || (type === "agent_started" && this.#isHandedOver);
    const port = new LeavableDrive({ ...given, isSilent }, this, spreading);
    this.#written = () => port.commit();
    return port;
  };

  /** Steps that run are let end; no other begins. */
  handOver(): void {
    this.#isHandedOver = true;
    this.#look();
  }

  get isHandedOver(): boolean {
    return this.#isHandedOver;
  }

  /** Counts as work while it is awaited. */
  async busy<Value>(work: () => Value | Promise<Value>): Promise<Value> {
    this.#busy += 1;
    this.#moves += 1;
    try {
      return await work();
    } finally {
      this.#busy -= 1;
      this.#look();
    }
  }

  /** A wait within a step that is counted as work: while it lasts the step does not count. */
  async asleep(until: number, sleep: () => Promise<void>, isInStep: boolean, besideLimits = false): Promise<void> {
    const name = Symbol();
    this.#asleep.set(name, { until, besideLimits });
    if (isInStep) this.#busy -= 1;
    this.#look();
    try {
      await sleep();
    } finally {
      if (isInStep) this.#busy += 1;
      this.#moves += 1;
      this.#asleep.delete(name);
    }
  }

  /** A step waits for an answer. While other branches work the drive goes on; else it pauses by itself. */
  async idle<Value>(wait: () => Promise<Value>): Promise<Value> {
    this.#busy -= 1;
    this.#look();
    try {
      return await wait();
    } finally {
      this.#busy += 1;
      this.#moves += 1;
    }
  }

  /** Something was begun or has ended that is no work itself. */
  moved(): void {
    this.#moves += 1;
    this.#look();
  }

  /** Others work: no wait that a drive could be left for, but it may be handed over. */
  lookingAfterOthers(ms: number): Promise<void> {
    const { clock } = this.options;
    return this.asleep(clock.now(), () => clock.sleep(ms), false);
  }

  limited(isPatient: boolean): () => void {
    const count = (change: number): void => {
      if (isPatient) this.#patientLimits += change;
      else this.#limits += change;
    };
    count(1);
    return () => {
      count(-1);
      this.#look();
    };
  }

  get #isTimed(): boolean {
    return this.#limits > 0 || (this.#patientLimits > 0 && [...this.#asleep.values()].some((one) => !one.besideLimits));
  }

  #look(): void {
    if (this.#busy > 0 || this.#looking !== undefined) return;
    if (!this.#isHandedOver && this.#asleep.size === 0) return;
    const moves = this.#moves;
    this.#looking = setTimeout(() => {
      this.#looking = undefined;
      if (this.#busy > 0) return;
      if (this.#moves !== moves) return this.#look();
      void this.#decide();
    }, STILL_MS);
  }

  async #decide(): Promise<void> {
    const until = Math.min(...[...this.#asleep.values()].map((one) => one.until));
    const isLong =
      !this.#isScripted && this.#asleep.size > 0 && until - this.options.clock.now() > this.options.longestWaitMs;
    if (!this.#isHandedOver && (!isLong || this.#isTimed)) return;
    const moves = this.#moves;
    try {
      await this.#written();
    } catch {
      // The next commit throws it.
      return;
    }
    // A step that began meanwhile would be cut off.
    if (this.#busy > 0) return;
    if (this.#moves !== moves) return this.#look();
    this.#leave(new DriveLeft(this.#isHandedOver ? undefined : until));
  }

  /** The clock of a `wait` step, made of that of its drive. */
  waitingBy(clock: HostClock): HostClock {
    return {
      ...clock,
      now: () => clock.now(),
      after: (ms, run) => clock.after(ms, run),
      sleep: (ms, signal) => this.asleep(clock.now() + ms, () => clock.sleep(ms, signal), true),
    };
  }
}

/** The usual port, which also reports when work begins and ends. */
class LeavableDrive extends Drive implements Durable {
  constructor(
    options: DriveOptions,
    private readonly presence: IdleRelease,
    private readonly spreading: Spreading | undefined,
  ) {
    super(options);
  }

  override branches<Branch, End>(
    branches: readonly Branch[],
    body: BranchBody<Branch, End>,
    options: BranchOptions<Branch, End>,
  ): Promise<readonly (End | undefined)[]> {
    const { spread } = options;
    return spread && this.spreading
      ? this.spreading.branches(this, branches, body, { ...options, spread })
      : super.branches(branches, body, options);
  }

  working<Value>(work: () => Promise<Value>): Promise<Value> {
    return this.presence.busy(work);
  }

  /** Others work, and this drive looks after them: it may be handed over meanwhile, and does not end by itself. */
  lookAgainAfter(ms: number): Promise<void> {
    return this.presence.lookingAfterOthers(ms);
  }

  /** A container itself is not work: waiting for inner steps that no longer begin, it would hold the drive for good. */
  override async step<Value>(run: () => Value | Promise<Value>, kind?: StepKind): Promise<Timed<Value>> {
    if (this.presence.isHandedOver) return never();
    if (kind !== "container") return this.presence.busy(() => super.step(run, kind));
    try {
      return await super.step(run, kind);
    } finally {
      this.presence.moved();
    }
  }

  override sleepUntil(epochMs: number, signal: AbortSignal, options: SleepOptions = {}): Promise<void> {
    const { inStep = false, besideLimits = false } = options;
    return this.presence.asleep(epochMs, () => super.sleepUntil(epochMs, signal, options), inStep, besideLimits);
  }

  protected override waiting(fiber: Fiber, wait: () => Promise<WaitOutcome>): Promise<WaitOutcome> {
    return this.presence.idle(() => super.waiting(fiber, wait));
  }

  override timeLimit(seconds: number | undefined, parent: AbortSignal, options?: UncountedTime) {
    const limit = super.timeLimit(seconds, parent, options);
    if (seconds === undefined) return limit;
    const ended = this.presence.limited(options?.asking === true);
    return {
      signal: limit.signal,
      dispose: () => {
        ended();
        limit.dispose();
      },
    };
  }
}
