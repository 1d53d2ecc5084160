// Counts attempts and rounds of a journal as if its run had been driven once, in one go: as a play of it counts them.
import { isInside, roundsEarlier, withoutRounds } from "../../base/events/key.ts";
import type { EventData } from "../../base/events/registry.ts";

type BegunAttempt = Pick<EventData<"agent_started">, "key" | "attempt">;

/** Attempts that were cut off have no answer: those after them are counted as if they had never been. */
export class CutOff {
  readonly #open = new Set<string>();
  readonly #lost = new Map<string, number>();

  began({ key, attempt }: BegunAttempt): void {
    const whose = withoutRounds(key);
    if (attempt === 1) this.#lost.delete(whose);
    else if (this.#open.has(whose)) this.#lost.set(whose, (this.#lost.get(whose) ?? 0) + 1);
    this.#open.add(whose);
  }

  /** How many there were before the attempt that is under way. */
  before({ key }: Pick<BegunAttempt, "key">): number {
    return this.#lost.get(withoutRounds(key)) ?? 0;
  }

  /** How many there were before an attempt that ended. */
  ended({ key }: Pick<BegunAttempt, "key">): number {
    const whose = withoutRounds(key);
    this.#open.delete(whose);
    return this.#lost.get(whose) ?? 0;
  }
}

/**
 * Rounds of groups and sub-workflows. A resume begins one that failed the run anew, with all its retries, and goes on with
 * the round that was the last: in one drive that would have been its first.
 */
export class PlayedRounds {
  /** How often each container was retried, by its key. */
  readonly #retried = new Map<string, number>();
  /** Of those that were begun anew: how many of these retries were before that. */
  readonly #before = new Map<string, number>();

  retried(container: string): void {
    this.#retried.set(container, (this.#retried.get(container) ?? 0) + 1);
  }

  /** Whether it was retried before, and is begun anew. */
  began(container: string, attempt: number): boolean {
    const retried = this.#retried.get(container) ?? 0;
    if (attempt > 1 || retried === (this.#before.get(container) ?? 0)) return false;
    this.#before.set(container, retried);
    return true;
  }

  /** The key that a visit would have had if what was begun anew had never failed. */
  placeOf(key: string): string {
    // The keys of inner ones have the rounds of outer ones in them.
    const innerFirst = [...this.#before].sort(([one], [other]) => other.length - one.length);
    return innerFirst.reduce((place, [container, rounds]) => roundsEarlier(place, container, rounds), key);
  }
}

/** Puts what is in the last round of a container, by its key, in the place of what is in the first. */
export function lastRoundFirst<Value>(
  kept: Map<string, Value>,
  container: string,
  moved: (value: Value, key: string) => Value,
): void {
  for (const [key, value] of [...kept].filter(([one]) => isInside(one, container))) {
    const place = roundsEarlier(key, container, Number.POSITIVE_INFINITY);
    kept.delete(key);
    kept.set(place, moved(value, place));
  }
}
