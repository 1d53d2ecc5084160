// The time of the run that is being replayed: it stands at the last event and goes on at the replay's speed.

export class RunClock {
  #runTime = 0;
  #setAt = 0;
  readonly #speed: number;
  readonly #wall: () => number;

  constructor(speed: number, wall: () => number = Date.now) {
    this.#speed = speed;
    this.#wall = wall;
  }

  /** An event of this time is shown now. */
  set(runTime: number): void {
    this.#runTime = runTime;
    this.#setAt = this.#wall();
  }

  readonly now = (): number => this.#runTime + (this.#wall() - this.#setAt) * this.#speed;
}
