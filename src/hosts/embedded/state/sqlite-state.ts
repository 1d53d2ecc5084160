// What runs share, in SQLite: each work is done within one call, and a transaction holds the write lock from its first moment.
import { keptText, textKept } from "../../rows/kept-text.ts";
import type { Connection, SqlValue } from "../../sqlite/connection.ts";
import { immediately } from "../../sqlite/transaction.ts";
import { UNSEALED } from "../../state/seal.ts";
import {
  first,
  type KeyForms,
  raw,
  type SqlParameter,
  type SqlStep,
  type SqlWork,
  type StateHost,
  sql,
} from "../../state/sql.ts";
import type { Owners } from "./owners.ts";

/** No booleans: libsql ends the whole process when it is handed one. */
const sqliteValue = (value: SqlParameter): SqlValue =>
  typeof value === "boolean" ? Number(value) : ((value ?? null) as SqlValue);

/** Keys of any length can be compared. */
const KEYS: KeyForms = {
  kept: (key) => ({ key: keptText(key) }),
  compared: (key) => [keptText(key)],
  keyOf: ({ key }) => textKept(key),
};

/** A list as one parameter: with one for each item, every length of it would be another statement to keep. */
const each = (values: readonly unknown[]) => sql`json_each(${JSON.stringify(values)})`;

function finished<Result>(work: SqlWork<Result>, ask: (step: SqlStep) => unknown): Result {
  let next = work.next();
  while (!next.done) next = work.next(ask(next.value));
  return next.value;
}

export function sqliteState(connection: Connection, owners: Owners, now: () => number): StateHost {
  const ask = ({ statement, gives }: SqlStep): unknown => {
    const prepared = connection.prepare(statement.text("?"));
    const values = statement.values.map(sqliteValue);
    if (gives === "count") return prepared.run(values);
    if (gives === "first") return prepared.get(values);
    return gives === "rows" ? prepared.all(values) : immediately(connection, () => prepared.all(values));
  };
  return {
    isFleet: false,
    do: (work) => finished(work(), ask),
    transaction: (work) => immediately(connection, () => finished(work(), ask)),
    both: (one, other) =>
      immediately(connection, () => {
        for (const statement of [one, other]) ask({ statement, gives: "count" });
      }),
    *lock() {},
    forUpdate: raw(""),
    // Only processes can tell who lives. One that is not found here has just come.
    *living(owned) {
      const found = yield* first<{ all: string }>(sql`select json_group_array(distinct owner) as "all" from ${owned}`);
      const all = JSON.parse(found?.all ?? "[]") as readonly (string | null)[];
      const dead = all.filter((owner) => owner !== null && !owners.isAlive(owner));
      return dead.length === 0
        ? raw("(owner is not null)")
        : sql`(owner is not null and owner not in (select value from ${each(dead)}))`;
    },
    self: () => owners.self(),
    now,
    table: raw,
    among: (value, values) =>
      values.length === 1 ? sql`${value} = ${values[0]}` : sql`${value} in (select value from ${each(values)})`,
    each,
    pairs: (pairs) => sql`(select value ->> 0 as id, value ->> 1 as text from ${each(pairs)}) as kept`,
    seal: UNSEALED,
    keys: KEYS,
    names: KEYS,
    digest: (text) => text,
    readable: (found, _what, read) => found.map(read),
  };
}
