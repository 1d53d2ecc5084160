// Migrates a database to the tables that this Segno writes; refuses one that a newer Segno has migrated.
import { randomBytes } from "node:crypto";
import type { PoolClient } from "pg";
import { StoreError } from "../../../storage/store-error.ts";
import type { Database } from "./database.ts";
import { makeTables } from "./dbos.ts";
import { MIGRATIONS } from "./schema.ts";

/** Everybody who would migrate waits here for who does. */
export const MIGRATION_LOCK = 5_239_017_404;

export interface DatabaseFormat {
  readonly version: number;
  readonly hash_key: string;
  readonly now_ms: number;
  /** When that question was sent, by `performance.now()`: after all that was waited for before it. */
  readonly sentAt: number;
}

/** What is not there yet: the schema, or the table. */
const ABSENT: ReadonlySet<string> = new Set(["42P01", "3F000"]);

async function aboutNow(database: Database): Promise<DatabaseFormat | undefined> {
  try {
    const { rows, sentAt } = await database.timedRows<Omit<DatabaseFormat, "sentAt">>(
      "select version, hash_key, (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms from segno.about",
    );
    return rows[0] && { ...rows[0], sentAt };
  } catch (problem) {
    const { cause } = problem as { cause?: { code?: string } };
    if (ABSENT.has(cause?.code ?? "")) return undefined;
    throw problem;
  }
}

/** Which tables are there, for who only looks: those that this Segno writes, of an older one, or none. Nothing is made. */
export async function tablesThere(database: Database): Promise<"up to date" | "older" | "none"> {
  const about = await aboutNow(database);
  if (!about) return "none";
  return about.version < MIGRATIONS.length ? "older" : "up to date";
}

export async function migrated(database: Database): Promise<DatabaseFormat> {
  const about = await aboutNow(database);
  const there = about?.version ?? 0;
  if (there > MIGRATIONS.length)
    throw new StoreError(
      "newer",
      `${database.shown} was written by a newer Segno (format ${there}; this one knows ${MIGRATIONS.length}). Update Segno here.`,
      database.shown,
    );
  if (about && there === MIGRATIONS.length) return about;
  return migrate(database);
}

/** The queue has tables of its own, made in no transaction of ours; the lock keeps two processes from making them at once. */
async function migrate(database: Database): Promise<DatabaseFormat> {
  const client = await database.pool.connect();
  try {
    await locked(client);
    const about = await aboutNow(database);
    if (!about) await makeTables(database.url);
    for (let version = about?.version ?? 0; version < MIGRATIONS.length; version++) {
      await client.query("begin");
      await client.query(MIGRATIONS[version]!);
      await client.query(
        "insert into segno.about (version, hash_key) values ($1, $2) on conflict (one) do update set version = excluded.version",
        [version + 1, randomBytes(32).toString("hex")],
      );
      await client.query("commit");
    }
  } catch (problem) {
    await client.query("rollback").catch(() => {});
    throw database.asStoreError(problem);
  } finally {
    await client.query("select pg_advisory_unlock($1)", [MIGRATION_LOCK]).catch(() => {});
    client.release();
  }
  return (await aboutNow(database))!;
}

/** Asked again and again: a query that waits holds a snapshot, and DBOS makes indexes in a way that waits for everybody with an older one. */
async function locked(client: PoolClient): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ ours: boolean }>("select pg_try_advisory_lock($1) as ours", [MIGRATION_LOCK]);
    if (rows[0]?.ours) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
