// States of circuit breakers, one for the whole fleet. What a state is, only the breaker itself knows.
import type { BreakerStates } from "../../shared-state.ts";
import { ChangedInDatabase } from "../../store-error.ts";
import type { Database } from "../database.ts";
import { comparedKey, keptKey, keyKept } from "../kept-key.ts";

export class BreakerTable<State = unknown> implements BreakerStates<State> {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async get(name: string): Promise<State | undefined> {
    const rows = await this.#database.rows<{ state: string }>("select state from segno.breakers where name = $1", [
      comparedKey(name),
    ]);
    return rows[0] && stateOf<State>(name, rows[0].state);
  }

  /** Under a lock of its name: a breaker that is not there yet has no row to lock. */
  update(name: string, change: (state: State | undefined) => State): Promise<State> {
    const { key, whole } = keptKey(name);
    return this.#database.transaction(async (sql) => {
      await sql.rows("select pg_advisory_xact_lock(hashtextextended('segno breaker ' || $1, 0))", [key]);
      const rows = await sql.rows<{ state: string }>("select state from segno.breakers where name = $1", [key]);
      const before = rows[0] && stateOf<State>(name, rows[0].state);
      const after = change(before);
      if (after !== before)
        await sql.run(
          "insert into segno.breakers (name, state, whole) values ($1, $2, $3) on conflict (name) do update set state = excluded.state",
          [key, JSON.stringify(after), whole],
        );
      return after;
    });
  }

  async list(): Promise<readonly { readonly name: string; readonly state: State }[]> {
    const rows = await this.#database.rows<{ key: string; whole: string | null; state: string }>(
      "select name as key, whole, state from segno.breakers order by name",
    );
    const what = ({ key }: { readonly key: string }): string => `the breaker ${key}`;
    return this.#database.leftOut.readable(rows, what, (row) => {
      const name = keyKept(row);
      return { name, state: stateOf<State>(name, row.state) };
    });
  }

  async reset(name: string): Promise<boolean> {
    return (await this.#database.run("delete from segno.breakers where name = $1", [comparedKey(name)])) === 1;
  }
}

function stateOf<State>(name: string, text: string): State {
  try {
    return JSON.parse(text) as State;
  } catch (problem) {
    throw new ChangedInDatabase(
      `The state of the circuit breaker ${name} in the database is not what Segno wrote. \`segno breakers reset ${name}\` closes it.`,
      name,
      { cause: problem },
    );
  }
}
