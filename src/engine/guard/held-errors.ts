// Errors that no route of their own step took, until it is known whether a route of their group or caller does: what a
// route took is neither escalated nor kept.
import type { Envelope } from "../../errors/index.ts";
import { isInside } from "../../events/key.ts";
import type { Resilience } from "../../language/schema/resilience.ts";
import type { Visit } from "../frame.ts";
import type { UnroutedError } from "./contract.ts";

export interface HeldError {
  readonly visit: Visit;
  readonly failure: UnroutedError;
  /** What becomes of it when nothing handles it. */
  readonly verdict: "ESCALATE" | "DEAD_LETTER";
}

export class HeldErrors {
  readonly #held = new Set<HeldError>();
  /** By the place where an error was raised, an object that stays the same when it crosses into a group or a caller. */
  readonly #places = new WeakSet<object>();
  readonly #judges = new WeakMap<object, Resilience>();

  hold(error: HeldError): void {
    this.#held.add(error);
    this.#places.add(error.failure.error.raised_at);
  }

  /** Whether the same error was held further inside. */
  isHeld({ raised_at }: Envelope): boolean {
    return this.#places.has(raised_at);
  }

  /** Whether a section is shown the error for the first time: a caller's acts in its children too, and judges once. */
  isNewTo(section: Resilience, { raised_at }: Envelope): boolean {
    const isNew = this.#judges.get(raised_at) !== section;
    this.#judges.set(raised_at, section);
    return isNew;
  }

  /** Lets go of the errors of a visit and of all that happened inside it, and gives them in order of time. */
  release(key: string): readonly HeldError[] {
    const released = [...this.#held].filter(({ visit }) => visit.key === key || isInside(visit.key, key));
    for (const error of released) this.#held.delete(error);
    return released;
  }
}
