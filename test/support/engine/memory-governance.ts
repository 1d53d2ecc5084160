// What runs share, in memory, at once or after a while; and the port as a host far away gives it.

import type { Awaitable } from "../../../src/base/awaitable.ts";
import type { Governance, WaitingLetter } from "../../../src/engine/contract.ts";
import type { Timed } from "../../../src/engine/durable.ts";
import type { BreakerState } from "../../../src/engine/guard/resilience/breaker-state.ts";
import type { DeadLetter } from "../../../src/engine/guard/resilience/dead-letter.ts";
import { SharedBreaker } from "../../../src/engine/guard/resilience/shared-breaker.ts";
import { Drive } from "../../../src/storage/drive.ts";

export const aWhile = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class LateDrive extends Drive {
  #writing: Promise<void> = Promise.resolve();

  override commit(): Promise<void> {
    this.#writing = this.#writing.then(aWhile).then(() => super.commit());
    return this.#writing;
  }

  override end(): Promise<void> {
    void super.end();
    return this.#writing;
  }

  override step<Value>(run: () => Value | Promise<Value>): Promise<Timed<Value>> {
    return this.commit().then(() => this.timed(run));
  }
}

export class MemoryGovernance implements Governance {
  /** Every letter that was kept, in order. */
  readonly letterBodies: DeadLetter[] = [];
  readonly open = new Map<string, WaitingLetter>();
  /** What was escalated. */
  readonly results: string[] = [];
  /** How the agents on the board ended. */
  readonly boardEnds: (boolean | undefined)[] = [];
  taken = 0;
  mostTaken = 0;
  readonly #breakers = new Map<string, SharedBreaker>();

  constructor(
    readonly now: () => number,
    readonly isLate = false,
  ) {}

  #given<Value>(make: () => Value): Awaitable<Value> {
    return this.isLate ? aWhile().then(make) : make();
  }

  breaker: Governance["breaker"] = (name, settings) => {
    const known = this.#breakers.get(name);
    if (known) return known;
    let state: BreakerState | undefined;
    const made = new SharedBreaker(name, settings, {
      now: this.now,
      cell: {
        get: () => this.#given(() => state),
        update: (change) =>
          this.#given(() => {
            state = change(state);
            return state;
          }),
      },
    });
    this.#breakers.set(name, made);
    return made;
  };

  readonly letters: Governance["letters"] = {
    put: (letter) =>
      this.#given(() => {
        this.letterBodies.push(letter);
        const id = this.open.get(letter.place)?.id ?? `letter-${this.letterBodies.length}`;
        this.open.set(letter.place, { id, kind: letter.kind });
        return id;
      }),
    waiting: (place) => this.#given(() => this.open.get(place)),
    resolve: (place) => this.#given(() => void this.open.delete(place)),
  };

  readonly slots: Governance["slots"] = {
    taken: () => this.#given(() => this.taken),
    acquire: async (max, signal) => {
      while (this.taken >= max && !signal.aborted) await aWhile();
      if (signal.aborted) return undefined;
      this.taken += 1;
      this.mostTaken = Math.max(this.mostTaken, this.taken);
      return () =>
        this.#given(() => {
          this.taken -= 1;
        });
    },
  };

  readonly agents: Governance["agents"] = {
    begin: () => this.#given(() => ({ running_in: [], last_failed: this.boardEnds.at(-1) === false })),
    end: (_step, _key, ok) => this.#given(() => void this.boardEnds.push(ok)),
  };

  policyFrom: Governance["policyFrom"] = ({ module, policy }) => {
    if ((module ?? policy) !== undefined) throw new Error("no modules and no plugins here");
    return undefined;
  };

  resultWith(_error: unknown, node: string): string {
    this.results.push(node);
    return JSON.stringify({ failed: node });
  }
}
