// Processes that hold something in state.db: slots, claims, running steps. What a dead one held is free again.
import type { LeaseHolder, Liveness, ProcessIdentity, ProcessName } from "../../liveness.ts";
import type { Connection } from "../../sqlite/connection.ts";
import { type Observer, seemsAlive } from "../observer.ts";
import { HEARTBEAT_MS } from "../process-identity.ts";

export const ownerOf = (who: ProcessIdentity): ProcessName => JSON.stringify([who.host, who.pid, who.start]);

function identityOf(owner: ProcessName): ProcessIdentity {
  const [host, pid, start] = JSON.parse(owner) as [string, number, string];
  return { host, pid, start };
}

export class Owners implements Liveness {
  readonly #connection: Connection;
  readonly #who: ProcessIdentity;
  readonly #now: () => number;
  readonly #observer: Observer;
  #heart: NodeJS.Timeout | undefined;

  constructor(connection: Connection, observer: Observer, now: () => number) {
    this.#connection = connection;
    this.#observer = observer;
    this.#who = observer.here;
    this.#now = now;
  }

  self(): ProcessName {
    const owner = ownerOf(this.#who);
    if (this.#heart === undefined) {
      this.#beat(owner);
      this.#heart = setInterval(() => this.#beatQuietly(owner), HEARTBEAT_MS).unref();
    }
    return owner;
  }

  #beat(owner: ProcessName): void {
    // Another time than before, also when the clock stands still: others watch whether it changes.
    const now = this.#now();
    this.#connection
      .prepare("INSERT INTO owners VALUES (?, ?) ON CONFLICT DO UPDATE SET heard = ? + (heard = ?)")
      .run([owner, now, now, now]);
  }

  #beatQuietly(owner: ProcessName): void {
    try {
      this.#beat(owner);
    } catch {
      // The next beat may get through; two may be missed.
    }
  }

  isAlive(owner: ProcessName): boolean {
    const row = this.#connection.prepare<{ heard: number }>("SELECT heard FROM owners WHERE owner = ?").get([owner]);
    return !this.#observer.isDead(owner, identityOf(owner), row?.heard ?? 0);
  }

  holderIsAlive(holder: LeaseHolder, now: number = this.#now()): boolean {
    return seemsAlive(holder, now, this.#who);
  }

  close(): void {
    if (this.#heart === undefined) return;
    clearInterval(this.#heart);
    this.#heart = undefined;
    try {
      this.#connection.prepare("DELETE FROM owners WHERE owner = ?").run([ownerOf(this.#who)]);
    } catch {
      // A process that has ended is known to be dead without it.
    }
  }
}
