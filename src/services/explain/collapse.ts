// Steps that follow one another again and again become one scene, with how often: a loop of 50 rounds is one line.
import type { Loop, Scene, VisitScene } from "./story.ts";

const LONGEST_ROUND = 8;

/** Whether two visits read the same. What an agent asked, and who allowed it, is shown each time. */
const isAlike = (a: VisitScene, b: VisitScene): boolean =>
  a.node_id === b.node_id &&
  a.status === b.status &&
  a.kind === b.kind &&
  a.why === b.why &&
  !a.requests &&
  !b.requests;

/** The scenes with rounds folded; from left to right, the shortest round first. Of many visits only a few are held at a time. */
export function collapse(visits: Iterable<VisitScene>): readonly Scene[] {
  const scenes: Scene[] = [];
  const ahead = new Ahead(visits);
  for (;;) {
    const next = ahead.upTo(2 * LONGEST_ROUND);
    if (next.length === 0) return scenes;
    const length = roundIn(next);
    scenes.push(...(length === 0 ? ahead.take(1) : [loopOf(length, ahead)]));
  }
}

/** The rounds that come next, as long as they are alike. */
function loopOf(length: number, ahead: Ahead): Loop {
  const first = ahead.take(length);
  const took = first.map(({ duration_ms }) => duration_ms);
  let [last, times] = [first, 1];
  while (isRound(first, ahead.upTo(length))) {
    last = ahead.take(length);
    times++;
    for (const [index, { duration_ms }] of last.entries()) took[index]! += duration_ms;
  }
  // What a step took over all rounds.
  return { times, scenes: last.map((visit, index) => ({ ...visit, duration_ms: took[index]! })) };
}

const isRound = (first: readonly VisitScene[], next: readonly VisitScene[]): boolean =>
  next.length >= first.length && first.every((visit, index) => isAlike(visit, next[index]!));

/** The length of the shortest round that is there twice; 0 when there is none. */
function roundIn(next: readonly VisitScene[]): number {
  for (let length = 1; length <= LONGEST_ROUND; length++)
    if (isRound(next.slice(0, length), next.slice(length)) && next.length >= 2 * length) return length;
  return 0;
}

/** Visits that are looked at before they are taken. */
class Ahead {
  readonly #source: Iterator<VisitScene>;
  readonly #seen: VisitScene[] = [];

  constructor(visits: Iterable<VisitScene>) {
    this.#source = visits[Symbol.iterator]();
  }

  /** So many, or as many as are left. */
  upTo(count: number): readonly VisitScene[] {
    while (this.#seen.length < count) {
      const { done, value } = this.#source.next();
      if (done) break;
      this.#seen.push(value);
    }
    return this.#seen;
  }

  take(count: number): readonly VisitScene[] {
    return this.#seen.splice(0, count);
  }
}
