// Processes that hold something in state.db: slots, claims, running steps. What a dead one held is free again.
import type { Connection } from "../../sqlite/connection.ts";
import { HEARTBEAT_MS, isAlive, type ProcessIdentity } from "../process-identity.ts";

/** A process as one word, as it stands in the tables. */
export type Owner = string;

export const ownerOf = (who: ProcessIdentity): Owner => JSON.stringify([who.host, who.pid, who.start]);

function identityOf(owner: Owner): ProcessIdentity {
  const [host, pid, start] = JSON.parse(owner) as [string, number, string];
  return { host, pid, start };
}

export class Owners {
  readonly #connection: Connection;
  readonly #who: ProcessIdentity;
  readonly #now: () => number;
  #heart: NodeJS.Timeout | undefined;

  constructor(connection: Connection, who: ProcessIdentity, now: () => number) {
    this.#connection = connection;
    this.#who = who;
    this.#now = now;
  }

  /** This process, which is heard of from now on: those on other hosts have nothing else to go by. */
  self(): Owner {
    const owner = ownerOf(this.#who);
    if (this.#heart === undefined) {
      this.#beat(owner);
      this.#heart = setInterval(() => this.#beatQuietly(owner), HEARTBEAT_MS).unref();
    }
    return owner;
  }

  #beat(owner: Owner): void {
    this.#connection.prepare("INSERT OR REPLACE INTO owners VALUES (?, ?)").run([owner, this.#now()]);
  }

  #beatQuietly(owner: Owner): void {
    try {
      this.#beat(owner);
    } catch {
      // The next beat may get through; four may be missed.
    }
  }

  isAlive(owner: Owner): boolean {
    const row = this.#connection.prepare<{ heard: number }>("SELECT heard FROM owners WHERE owner = ?").get([owner]);
    return isAlive(identityOf(owner), row?.heard ?? 0, this.#now(), this.#who.host);
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
