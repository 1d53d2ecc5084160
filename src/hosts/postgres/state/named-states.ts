// States by name, one for the whole fleet: of circuit breakers, of limits. What a state is, only its owner knows.
import type { NamedStates } from "../../shared-state.ts";
import { ChangedInDatabase } from "../../store-error.ts";
import type { Database } from "../database.ts";
import { comparedKey, keptKey, keyKept } from "../kept-key.ts";

export class NamedStateTable<State = unknown> implements NamedStates<State> {
  readonly #database: Database;

  readonly #table: "breakers" | "limits";

  constructor(database: Database, table: "breakers" | "limits") {
    this.#database = database;
    this.#table = table;
  }

  async get(name: string): Promise<State | undefined> {
    const rows = await this.#database.rows<{ state: string }>(
      `select state from segno.${this.#table} where name = $1`,
      [comparedKey(name)],
    );
    return rows[0] && stateOf<State>(this.#table, name, rows[0].state);
  }

  /** Under a lock of its name: a breaker that is not there yet has no row to lock. */
  update(name: string, change: (state: State | undefined) => State): Promise<State> {
    const { key, whole } = keptKey(name);
    return this.#database.transaction(async (sql) => {
      await sql.rows("select pg_advisory_xact_lock(hashtextextended($2 || $1, 0))", [key, LOCKS[this.#table]]);
      const rows = await sql.rows<{ state: string }>(`select state from segno.${this.#table} where name = $1`, [key]);
      const before = rows[0] && stateOf<State>(this.#table, name, rows[0].state);
      const after = change(before);
      if (after !== before)
        await sql.run(
          `insert into segno.${this.#table} (name, state, whole) values ($1, $2, $3) on conflict (name) do update set state = excluded.state`,
          [key, JSON.stringify(after), whole],
        );
      return after;
    });
  }

  async list(): Promise<readonly { readonly name: string; readonly state: State }[]> {
    const rows = await this.#database.rows<{ key: string; whole: string | null; state: string }>(
      `select name as key, whole, state from segno.${this.#table} order by name`,
    );
    const what = ({ key }: { readonly key: string }): string => `${WORDS[this.#table]} ${key}`;
    return this.#database.leftOut.readable(rows, what, (row) => {
      const name = keyKept(row);
      return { name, state: stateOf<State>(this.#table, name, row.state) };
    });
  }

  async reset(name: string): Promise<boolean> {
    return (await this.#database.run(`delete from segno.${this.#table} where name = $1`, [comparedKey(name)])) === 1;
  }
}

/** Workers of the version before lock breakers by the same name. */
const LOCKS = { breakers: "segno breaker ", limits: "segno limit " } as const;
const WORDS = { breakers: "the circuit breaker", limits: "the limit" } as const;

function stateOf<State>(table: keyof typeof WORDS, name: string, text: string): State {
  try {
    return JSON.parse(text) as State;
  } catch (problem) {
    throw new ChangedInDatabase(
      `The state of ${WORDS[table]} ${name} in the database is not what Segno wrote. ${table === "breakers" ? `\`segno breakers reset ${name}\` closes it.` : "Remove its row from segno.limits: it then begins anew."}`,
      name,
      { cause: problem },
    );
  }
}
