// A Postgres as tests use it: databases with and without the tables of a fleet, and what stands in them.
import { randomBytes } from "node:crypto";
import { Pool } from "pg";
import { openPostgresStore } from "../postgres/store.ts";
import { type PostgresServer, removeServer, serverFolder, startServer } from "./server.ts";

const TEMPLATE = "segno_template";

export interface Cluster {
  readonly url: string;
  /** A database with nothing in it. */
  empty(): Promise<string>;
  /** One with the tables of a fleet, quickly: a copy of the first. */
  database(): Promise<string>;
  /** Whoever still has a connection to it loses that. */
  drop(database: string): Promise<void>;
  sql(text: string, database?: string): Promise<readonly Record<string, unknown>[]>;
}

export interface OwnCluster extends Cluster, PostgresServer {
  close(): void;
}

const databaseAt = (url: string, name: string): string => new URL(`/${name}`, url).href;

/** `template`: makes the database that is copied, unless it is there. */
export function clusterAt(url: string, template: () => Promise<void> = async () => {}): Cluster {
  const pools = new Map<string, Pool>();
  const poolOf = (database: string): Pool => {
    let pool = pools.get(database);
    if (!pool) {
      pool = new Pool({ connectionString: database, max: 2, idleTimeoutMillis: 2000, allowExitOnIdle: true });
      pool.on("error", () => {});
      pools.set(database, pool);
    }
    return pool;
  };
  const sql: Cluster["sql"] = async (text, database = url) => (await poolOf(database).query(text)).rows;
  const made = async (how: string): Promise<string> => {
    const name = `t${randomBytes(6).toString("hex")}`;
    await sql(`create database ${name} ${how}`);
    return databaseAt(url, name);
  };
  return {
    url,
    sql,
    empty: () => made(""),
    async database() {
      await template();
      const [about] = await sql("show server_version_num");
      // Page by page through the log, as Postgres does it from 15 on unless it is asked, takes twice the processor time.
      const strategy = Number(about?.server_version_num) >= 150_000 ? "strategy file_copy" : "";
      const address = await made(`template ${TEMPLATE} ${strategy}`);
      await sql(`update segno.about set hash_key = '${randomBytes(32).toString("hex")}'`, address);
      return address;
    },
    async drop(database) {
      await pools.get(database)?.end();
      pools.delete(database);
      await sql(`drop database if exists ${new URL(database).pathname.slice(1)} with (force)`);
    },
  };
}

export async function makeTemplate(url: string): Promise<void> {
  await clusterAt(url).sql(`create database ${TEMPLATE}`);
  await (await openPostgresStore(databaseAt(url, TEMPLATE), { home: "/nonexistent" })).close();
}

/** One that can be stopped; whoever starts it ends it. */
export async function ownCluster(): Promise<OwnCluster> {
  const folder = serverFolder();
  const server = await startServer(folder);
  let template: Promise<void> | undefined;
  const once = (): Promise<void> => {
    template ??= makeTemplate(server.url);
    return template;
  };
  return { ...server, ...clusterAt(server.url, once), close: () => removeServer(folder) };
}
