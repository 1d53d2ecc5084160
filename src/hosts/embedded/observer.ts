// Who lives, as this process can tell. Of a process that it cannot see (another machine, another container) it watches the
// heartbeat: one that changes is alive, one that stays the same for long enough is dead. The times in it are that
// machine's, whose clock may be wrong, or ours may: they are never held against each other where something is taken away.
import type { LeaseHolder, ProcessIdentity } from "../liveness.ts";
import { canBeSeen, isRunningHere, SILENCE_MS } from "./process-identity.ts";

/** By the clocks alone something is taken away only when they would have to be wrong by more than this. */
export const LONG_SILENCE_MS = 3_600_000;

export interface ObserverOptions {
  readonly here: ProcessIdentity;
  readonly now: () => number;
  /** Milliseconds that no jump of the clock changes. */
  readonly elapsed: () => number;
}

export type Observation =
  | { readonly is: "alive" | "dead" }
  /** For so long, in milliseconds, its heartbeat has to stay the same before it counts as dead. */
  | { readonly is: "watched"; readonly leftMs: number };

export class Observer {
  readonly here: ProcessIdentity;
  readonly #now: () => number;
  readonly #elapsed: () => number;
  readonly #beats = new Map<string, { readonly heard: number; readonly since: number }>();

  constructor({ here, now, elapsed }: ObserverOptions) {
    this.here = here;
    this.#now = now;
    this.#elapsed = elapsed;
  }

  /** Looks once more; `name` is what the heartbeat is known by. */
  observe(name: string, who: ProcessIdentity, heard: number): Observation {
    if (canBeSeen(who, this.here)) return { is: isRunningHere(who) ? "alive" : "dead" };
    const elapsed = this.#elapsed();
    const before = this.#beats.get(name);
    if (!before || before.heard !== heard) this.#beats.set(name, { heard, since: elapsed });
    const leftMs = SILENCE_MS - (elapsed - (before?.heard === heard ? before.since : elapsed));
    return leftMs < 0 ? { is: "dead" } : { is: "watched", leftMs };
  }

  /** The same for a caller that does not wait for heartbeats: a large difference between the clocks also counts. */
  isDead(name: string, who: ProcessIdentity, heard: number): boolean {
    const { is } = this.observe(name, who, heard);
    return is === "dead" || (is === "watched" && Math.abs(this.#now() - heard) > LONG_SILENCE_MS);
  }
}

/** For lists, which cannot watch: by the clocks. Nothing is taken away on its word. */
export function seemsAlive(holder: LeaseHolder, now: number, here: ProcessIdentity): boolean {
  if (canBeSeen(holder, here)) return isRunningHere(holder);
  return Math.abs(now - Date.parse(holder.heard)) <= SILENCE_MS;
}
