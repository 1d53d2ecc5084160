// Behind a pooler that hands out connections by transaction, a statement's name may be unknown, or there already.
import { describe, expect, it, onTestFinished } from "vitest";
import { connect } from "../postgres/database.ts";
import { freshDatabase, hasPostgres } from "./cluster.ts";

const ASKED = "select $1::int + 1 as n";
const OTHER = "select $1::int + 2 as n";

async function oneConnection() {
  const database = await connect(await freshDatabase(), { most: 1, patienceMs: 1000, idleMs: 1000 });
  onTestFinished(() => database.close());
  return database;
}

describe.skipIf(!hasPostgres)("a connection that others use in between", () => {
  it("is asked again without a name when it does not know the statement any more", async () => {
    const database = await oneConnection();
    expect(await database.rows(ASKED, [1])).toEqual([{ n: 2 }]);
    await database.pool.query("deallocate all");
    expect(await database.rows(ASKED, [1])).toEqual([{ n: 2 }]);
    expect((await database.once(ASKED, [2])).rows).toEqual([{ n: 3 }]);
    expect(await database.pool.query("select name from pg_prepared_statements")).toMatchObject({ rows: [] });
  });

  it("is asked again without a name when somebody has prepared the statement there", async () => {
    const [one, other] = [await oneConnection(), await oneConnection()];
    await one.rows(ASKED, [1]);
    const { rows } = await one.pool.query("select name from pg_prepared_statements");
    await other.pool.query(`prepare ${rows[0].name} (int) as ${ASKED}`);
    expect((await other.once(ASKED, [1])).rows).toEqual([{ n: 2 }]);
  });

  it("has one name for one text, whoever asks and in whatever order", async () => {
    const [one, other] = [await oneConnection(), await oneConnection()];
    for (const text of [ASKED, OTHER]) await one.rows(text, [1]);
    for (const text of [OTHER, ASKED]) await other.rows(text, [1]);
    const named = async ({ pool }: typeof one) =>
      new Map(
        (await pool.query("select name, statement from pg_prepared_statements")).rows.map((row) => [
          row.name,
          row.statement,
        ]),
      );
    expect(await named(one)).toEqual(await named(other));
  });
});
