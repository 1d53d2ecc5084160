// The database's clock, by which a whole fleet goes: as SQL, and as far as it is known in this process.

/** In milliseconds. */
export const DATABASE_NOW = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

/** So far the database's time may be corrected without ever going back here. */
const MOMENT_MS = 1000;

export class DatabaseClock {
  /** How far the database's time is ahead of `performance.now()`. */
  #ahead: number | undefined;
  /** And by how much that may be wrong. */
  #uncertain = 0;
  /** What `now` returned last. */
  #lastNow = Number.NEGATIVE_INFINITY;
  /** When the database's clock was last found to be set to another time, by this process's own. */
  #jumpedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly silenceMs: number) {}

  /**
   * The database's time, as far as it is known here: the last time that the database reported, plus what this process
   * has counted since. How this machine's clock is set, or set again, makes no difference. When it turns out to be a
   * moment earlier than was thought, it stands still for that moment: nothing should seem to end before it began.
   */
  now(): number {
    if (this.#ahead === undefined) return Date.now();
    const now = Math.round(this.#ahead + performance.now());
    if (now < this.#lastNow && this.#lastNow - now < MOMENT_MS) return this.#lastNow;
    this.#lastNow = now;
    return now;
  }

  /** `began`: before the database was asked. What is known stays while it fits: the way there and back is not always as long. */
  learn(databaseMs: number, began: number): void {
    const [ended, uncertain] = [performance.now(), (performance.now() - began) / 2];
    const ahead = databaseMs - (began + ended) / 2;
    const difference = Math.abs((this.#ahead ?? ahead) - ahead) - uncertain;
    // On a busy machine both may be far off.
    if (difference - this.#uncertain > this.silenceMs / 4) this.#jumpedAt = ended;
    if (this.#ahead !== undefined && difference <= 1) return;
    this.#ahead = ahead;
    this.#uncertain = uncertain;
  }

  /**
   * By a database's clock that was just set forward, every process seems silent for that long. No process is given up
   * until all could give a sign of life: a grace as after an outage.
   */
  get isJustSet(): boolean {
    return performance.now() - this.#jumpedAt < this.silenceMs * 1.5;
  }
}
