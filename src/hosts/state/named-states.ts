// States by name, shared by all runs: of circuit breakers, of limits. What a state is, only its owner knows.
import { mapMaybe } from "../../engine/awaitable.ts";
import type { NamedStates } from "../shared-state.ts";
import { ChangedInDatabase } from "../store-error.ts";
import {
  first,
  fleetOnly,
  type KeptKey,
  read,
  readFirst,
  run,
  type Sql,
  type StateHost,
  sql,
  writeCounted,
} from "./sql.ts";

/** Workers of the version before lock breakers by the same name. */
const LOCKS = { breakers: "segno breaker ", limits: "segno limit " } as const;
const WORDS = { breakers: "the circuit breaker", limits: "the limit" } as const;

export function namedStateTable(host: StateHost, table: keyof typeof WORDS): NamedStates {
  const { names } = host;
  const states = host.table(table);
  const ofKey = (key: string): Sql => sql`select state from ${states} where name = ${key}`;

  return {
    get: (name) =>
      mapMaybe(
        readFirst<{ state: string }>(host, ofKey(names.compared(name)[0])),
        (row) => row && stateOf(table, name, row.state),
      ),

    /** Under a lock of its name: a state that is not there yet has no row to lock. */
    update(name, change) {
      const { key, whole } = names.kept(name);
      return host.transaction(function* () {
        yield* host.lock(`${LOCKS[table]}${key}`);
        const row = yield* first<{ state: string }>(ofKey(key));
        const before = row && stateOf(table, name, row.state);
        const after = change(before);
        if (after !== before)
          yield* run(
            sql`insert into ${states} (name, state${fleetOnly(host, sql`, whole`)})
              values (${key}, ${JSON.stringify(after)}${fleetOnly(host, sql`, ${whole}`)})
              on conflict (name) do update set state = excluded.state`,
          );
        return after;
      });
    },

    list: () =>
      mapMaybe(
        read<KeptKey & { state: string }>(
          host,
          sql`select name as key, state${fleetOnly(host, sql`, whole`)} from ${states} order by name`,
        ),
        (all) =>
          host.readable(
            all,
            ({ key }) => `${WORDS[table]} ${key}`,
            (row) => ({ name: names.keyOf(row), state: stateOf(table, names.keyOf(row), row.state) }),
          ),
      ),

    reset: (name) =>
      mapMaybe(
        writeCounted(host, sql`delete from ${states} where name = ${names.compared(name)[0]}`),
        (gone) => gone === 1,
      ),
  };
}

function stateOf(table: keyof typeof WORDS, name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (problem) {
    throw new ChangedInDatabase(
      `The state of ${WORDS[table]} ${name} in the database is not what Segno wrote. ${table === "breakers" ? `\`segno breakers reset ${name}\` closes it.` : "Remove its row from segno.limits: it then begins anew."}`,
      name,
      { cause: problem },
    );
  }
}
