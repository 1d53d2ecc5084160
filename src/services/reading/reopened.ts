// The history that a retry of letters builds on: everything that the run recorded, except that the failures to retry
// count as not handled.
import { withoutRounds } from "../../base/events/key.ts";
import type { Recall, Recorded } from "../../base/events/visits/recall.ts";

export interface Reopening {
  /** The steps and items to run again. */
  readonly places: ReadonlySet<string>;
  /** Of other open letters of the run: their failures stand until they are retried. */
  readonly others: ReadonlySet<string>;
  /** The run has ended by itself: only these run, each alone, and its end stays as it was. */
  readonly alone?: true | undefined;
  /** The drive that tries them was left in its middle. These of the places it has come to: they stand as it left them. */
  readonly done?: ReadonlySet<string>;
}

export class ReopenedRecall implements Recall {
  #containers: ReadonlySet<string> | undefined;

  constructor(
    private readonly recall: Recall,
    private readonly reopening: Reopening,
  ) {}

  get(key: string): Recorded | undefined {
    const recorded = this.recall.get(key);
    if (!recorded?.last || recorded.last.ok) return recorded;
    const place = withoutRounds(key);
    const { done } = this.reopening;
    if (done && (done.has(place) || recorded.retry)) return recorded;
    if (this.#isOnTheWay(place)) return anew(recorded);
    return this.reopening.others.has(place) ? { ...recorded, last: { ...recorded.last, routed: "group" } } : recorded;
  }

  /** The place itself, or a group or sub-workflow that leads to it. */
  #isOnTheWay(place: string): boolean {
    const { places } = this.reopening;
    if (places.has(place)) return true;
    this.#containers ??= containersOf(places);
    return this.#containers.has(place);
  }

  readonly spentIn: Recall["spentIn"] = (prefix) => this.recall.spentIn(prefix);
  readonly hookRan: Recall["hookRan"] = (key) => this.recall.hookRan(key);
  readonly usedInside: Recall["usedInside"] = (group) => this.recall.usedInside(group);
  readonly filesInside: Recall["filesInside"] = (key) => this.recall.filesInside(key);
  readonly leftRunning: Recall["leftRunning"] = () => this.recall.leftRunning();

  get retryVia() {
    return this.recall.retryVia;
  }
  get spentUsd() {
    return this.recall.spentUsd;
  }
  get namedSessions() {
    return this.recall.namedSessions;
  }
  get activeMs() {
    return this.recall.activeMs;
  }
  get drives() {
    return this.recall.drives;
  }
}

/** Everything before a `/`, `[` or `.`: an item's own name may hold them too, and such a beginning is no key of anything. */
function containersOf(places: ReadonlySet<string>): ReadonlySet<string> {
  const containers = new Set<string>();
  for (const place of places) for (const { index } of place.matchAll(/[/[.]/g)) containers.add(place.slice(0, index));
  return containers;
}

/** A new visit under the same key, as after a failure of the run. */
const anew = (recorded: Recorded): Recorded => ({
  ...recorded,
  attempts: 0,
  // An attempt that a kill cut off counts: a script of it may still be there.
  started: Math.max(0, recorded.started - recorded.attempts),
  failures: undefined,
  discarded: recorded.discarded + recorded.attempts,
  spentRetries: {},
  resetWaits: 0,
  retry: undefined,
  ...(recorded.last ? { last: { ...recorded.last, routed: undefined, escalatedOrKept: undefined } } : {}),
});
