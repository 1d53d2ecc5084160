// The fibers of a drive and their places in groups. A group whose branches all wait is a wait of the fiber that runs the
// group, so a nested group gives back the place of the outer one too.
import type { Fiber, WaitsFor } from "../engine/fiber.ts";
import { AskingTime } from "./asking-time.ts";
import type { HostClock } from "./clock.ts";

export class DriveFiber implements Fiber {
  readonly #open = { clock: 0, person: 0 };
  #time: AskingTime | undefined;
  #goOn: (() => void) | undefined;

  constructor(
    private readonly pool: FiberPool | undefined,
    /** Called when the fiber begins to wait, ends its wait, or waits for something else. */
    private readonly changed?: () => void,
  ) {}

  /** A fiber with several waits needs only the clock to go on. */
  get waitsFor(): WaitsFor | undefined {
    return this.#open.clock > 0 ? "clock" : this.#open.person > 0 ? "person" : undefined;
  }

  /** Time that stands still while this fiber waits. */
  time(clock: Pick<HostClock, "now" | "after">): AskingTime {
    this.#time ??= new AskingTime(clock);
    if (this.waitsFor !== undefined) this.#goOn ??= this.#time.begin();
    return this.#time;
  }

  async waiting<Value>(what: WaitsFor, wait: () => Promise<Value>): Promise<Value> {
    this.begin(what);
    try {
      return await wait();
    } finally {
      await this.end(what);
    }
  }

  begin(what: WaitsFor): void {
    this.#change(what, 1);
  }

  /** Gives a promise if the fiber waits no more, and first needs a place. */
  end(what: WaitsFor): Promise<void> | undefined {
    this.#change(what, -1);
    return this.waitsFor === undefined ? this.pool?.placeAgain() : undefined;
  }

  #change(what: WaitsFor, by: 1 | -1): void {
    const before = this.waitsFor;
    this.#open[what] += by;
    const after = this.waitsFor;
    if (before === after) return;
    if (after === undefined) this.#goOn?.();
    this.#goOn = after === undefined ? undefined : (this.#goOn ?? this.#time?.begin());
    this.pool?.changed(before, after);
    this.changed?.();
  }
}

/** The places of one group: so many of its branches run at the same time. Those that wait have no place. */
export class FiberPool {
  #running = 0;
  #alive = 0;
  readonly #waiting = { clock: 0, person: 0 };
  /** Branches whose wait has ended: they come before branches that have not begun. */
  readonly #returning: (() => void)[] = [];
  /** What the fiber that runs the group was last told. */
  #told: WaitsFor | undefined;
  #parentsPlace: Promise<void> | undefined;

  constructor(
    private readonly places: number,
    private readonly parent: DriveFiber | undefined,
    /** Whether a branch is left that has not begun, and may. */
    private readonly hasNext: () => boolean,
    private readonly startNext: () => void,
  ) {}

  get hasPlace(): boolean {
    return this.#running < this.places;
  }

  get isEmpty(): boolean {
    return this.#alive === 0;
  }

  begin(): DriveFiber {
    this.#running += 1;
    this.#alive += 1;
    return new DriveFiber(this);
  }

  end(): void {
    this.#alive -= 1;
    this.#passOn();
    this.#tell();
  }

  changed(before: WaitsFor | undefined, after: WaitsFor | undefined): void {
    if (before) this.#waiting[before] -= 1;
    if (after) this.#waiting[after] += 1;
    if (!before) this.#passOn();
    this.#tell();
  }

  async placeAgain(): Promise<void> {
    await this.#parentsPlace;
    if (this.hasPlace) this.#running += 1;
    else await new Promise<void>((resolve) => this.#returning.push(resolve));
  }

  #passOn(): void {
    const next = this.#returning.shift();
    if (!next) this.#running -= 1;
    if (next) next();
    else if (this.hasNext()) this.startNext();
  }

  get #waitsFor(): WaitsFor | undefined {
    const { clock, person } = this.#waiting;
    if (this.isEmpty || clock + person < this.#alive || this.hasNext()) return undefined;
    return clock > 0 ? "clock" : "person";
  }

  #tell(): void {
    const [before, after] = [this.#told, this.#waitsFor];
    if (before === after) return;
    this.#told = after;
    if (after) this.parent?.begin(after);
    const place = before && this.parent?.end(before);
    this.#parentsPlace = after ? undefined : place;
  }
}
