// States of circuit breakers, shared by all runs on the machine. What a state is, only the breaker itself knows.
import type { BreakerStates } from "../../shared-state.ts";
import type { Connection } from "../../sqlite/connection.ts";
import { immediately } from "../../sqlite/transaction.ts";

export class BreakerTable<State = unknown> implements BreakerStates<State> {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get(name: string): State | undefined {
    const row = this.#connection.prepare<{ state: string }>("SELECT state FROM breakers WHERE name = ?").get([name]);
    return row && (JSON.parse(row.state) as State);
  }

  /** Changes a state in one transaction. Returning the same object writes nothing. */
  update(name: string, change: (state: State | undefined) => State): State {
    return immediately(this.#connection, () => {
      const before = this.get(name);
      const after = change(before);
      if (after !== before)
        this.#connection.prepare("INSERT OR REPLACE INTO breakers VALUES (?, ?)").run([name, JSON.stringify(after)]);
      return after;
    });
  }

  list(): { readonly name: string; readonly state: State }[] {
    return this.#connection
      .prepare<{ name: string; state: string }>("SELECT name, state FROM breakers ORDER BY name")
      .all([])
      .map(({ name, state }) => ({ name, state: JSON.parse(state) as State }));
  }

  /** Forgets a breaker, which closes it. False when there is none of that name. */
  reset(name: string): boolean {
    return this.#connection.prepare("DELETE FROM breakers WHERE name = ?").run([name]) === 1;
  }
}
