// States by name, shared by all runs on the machine: of circuit breakers, of limits. What a state is, only its owner knows.
import type { NamedStates } from "../../shared-state.ts";
import type { Connection } from "../../sqlite/connection.ts";
import { immediately } from "../../sqlite/transaction.ts";

export class NamedStateTable<State = unknown> implements NamedStates<State> {
  readonly #connection: Connection;

  readonly #table: "breakers" | "limits";

  constructor(connection: Connection, table: "breakers" | "limits") {
    this.#connection = connection;
    this.#table = table;
  }

  get(name: string): State | undefined {
    const row = this.#connection
      .prepare<{ state: string }>(`SELECT state FROM ${this.#table} WHERE name = ?`)
      .get([name]);
    return row && (JSON.parse(row.state) as State);
  }

  /** Changes a state in one transaction. Returning the same object writes nothing. */
  update(name: string, change: (state: State | undefined) => State): State {
    return immediately(this.#connection, () => {
      const before = this.get(name);
      const after = change(before);
      if (after !== before)
        this.#connection
          .prepare(`INSERT OR REPLACE INTO ${this.#table} VALUES (?, ?)`)
          .run([name, JSON.stringify(after)]);
      return after;
    });
  }

  list(): { readonly name: string; readonly state: State }[] {
    return this.#connection
      .prepare<{ name: string; state: string }>(`SELECT name, state FROM ${this.#table} ORDER BY name`)
      .all([])
      .map(({ name, state }) => ({ name, state: JSON.parse(state) as State }));
  }

  /** Forgets a state: a breaker is closed then. False when there is none of that name. */
  reset(name: string): boolean {
    return this.#connection.prepare(`DELETE FROM ${this.#table} WHERE name = ?`).run([name]) === 1;
  }
}
