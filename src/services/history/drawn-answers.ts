// Answers drawn from the past: a step is answered as it was in some run before, whatever it asks.
import { keptIn } from "../../errors/mapping.ts";
import { callerOfSlot } from "../../events/key.ts";
import type { Answers } from "./recorded-world.ts";
import type { RecordedAttempt, RecordedReply, Recording } from "./recording.ts";

/** A past run, without what only a replay needs. */
export type Past = Omit<Recording, "events">;

export class DrawnAnswers implements Answers {
  readonly borrowed = new Set<string>();
  readonly #byStep = new Map<string, RecordedAttempt[]>();
  readonly #byType = new Map<string, RecordedAttempt[]>();
  /** Undefined stands for a run that still waits there: no answer is drawn as often as none was given. */
  readonly #replies = new Map<string, (RecordedReply | undefined)[]>();
  #state: number;

  constructor(
    private readonly past: readonly Past[],
    seed: number,
  ) {
    this.#state = seed;
    for (const { attempts, replies, state } of past) {
      for (const attempt of [...attempts.values()].flat()) {
        push(this.#byStep, stepOf(attempt), attempt);
        push(this.#byType, attempt.type, attempt);
      }
      for (const reply of replies.values()) push(this.#replies, reply.node, reply);
      if (state.status === "paused") for (const { node } of state.gates.values()) push(this.#replies, node, undefined);
    }
  }

  run(): Past {
    return this.#one(this.past) as Past;
  }

  attempt({ node, path }: { readonly node: string; readonly path: readonly string[] }, _: string, type = "") {
    const own = this.#byStep.get(stepOf({ node, path }));
    if (!own) this.borrowed.add(stepOf({ node, path }));
    return this.#one(own ?? this.#byType.get(type) ?? []);
  }

  reply({ node }: { readonly node: string }) {
    return this.#one(this.#replies.get(node) ?? []);
  }

  isOpen(): boolean {
    return true;
  }

  #one<Item>(list: readonly Item[]): Item | undefined {
    return list[Math.floor(this.#next() * list.length)];
  }

  /** The same numbers for the same seed, on every machine. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

/** Items of one group are one step. */
const stepOf = ({ node, path }: { readonly node: string; readonly path: readonly string[] }): string =>
  [...path, node].map(callerOfSlot).join("/");

function push<Item>(map: Map<string, Item[]>, key: string, item: Item): void {
  keptIn(map, key, () => []).push(item);
}
