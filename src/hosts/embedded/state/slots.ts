// Places for a limited number of steps at a time, over all runs on the machine. Two can never take the last one.
import type { ProcessName } from "../../liveness.ts";
import type { Slot, Slots } from "../../shared-state.ts";
import type { Connection } from "../../sqlite/connection.ts";
import { immediately } from "../../sqlite/transaction.ts";
import type { Owners } from "./owners.ts";

interface SlotRow {
  readonly slot: number;
  readonly owner: ProcessName;
}

export class SlotTable implements Slots {
  readonly #connection: Connection;
  readonly #owners: Owners;

  constructor(connection: Connection, owners: Owners) {
    this.#connection = connection;
    this.#owners = owners;
  }

  /** Takes a place, or nothing when all `max` are taken by the living. */
  acquire(scope: string, max: number, owner: ProcessName = this.#owners.self()): Slot | undefined {
    return immediately(this.#connection, () => {
      const taken = new Set(this.#living(scope).map((row) => row.slot));
      if (taken.size >= max) return undefined;
      let slot = 1;
      while (taken.has(slot)) slot += 1;
      this.#connection.prepare("INSERT INTO slots (scope, slot, owner) VALUES (?, ?, ?)").run([scope, slot, owner]);
      return { scope, slot, owner };
    });
  }

  release({ scope, slot, owner }: Slot): void {
    this.#connection.prepare("DELETE FROM slots WHERE scope = ? AND slot = ? AND owner = ?").run([scope, slot, owner]);
  }

  /** How many places of a scope are taken. */
  taken(scope: string): number {
    return this.#rows(scope).filter((row) => this.#owners.isAlive(row.owner)).length;
  }

  #rows(scope: string): SlotRow[] {
    return this.#connection.prepare<SlotRow>("SELECT slot, owner FROM slots WHERE scope = ?").all([scope]);
  }

  #living(scope: string): SlotRow[] {
    const rows = this.#rows(scope);
    const dead = rows.filter((row) => !this.#owners.isAlive(row.owner));
    for (const { slot, owner } of dead) this.release({ scope, slot, owner });
    return rows.filter((row) => !dead.includes(row));
  }
}
