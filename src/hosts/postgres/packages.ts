// The two packages that only a fleet needs. If they are not installed, the error says what to install. The names are
// known at run time only, so that bundlers leave them alone and nothing else loads them.
import type * as dbos from "@dbos-inc/dbos-sdk";
import type * as pg from "pg";
import { StoreError } from "../store-error.ts";

/** Where the command line leaves an `import()` that works: in scripts of which compiled code is kept, Node 20 has none. */
const IMPORT = Symbol.for("segno.import");

type Import = (name: string) => Promise<unknown>;

const DBOS = "@dbos-inc/dbos-sdk";

/** The version whose tables were looked at: they are not part of what it promises. */
const INSTALL = "npm install pg @dbos-inc/dbos-sdk@5.3.0";

async function load(name: string): Promise<unknown> {
  const given = (globalThis as { [IMPORT]?: Import })[IMPORT];
  try {
    return await (given ? given(name) : import(name));
  } catch (problem) {
    throw new StoreError(
      "missing_package",
      `Runs on Postgres need two packages that Segno does not bring along, and ${name} cannot be loaded (${(problem as { code?: string }).code ?? String(problem)}). Install them beside Segno with: ${INSTALL}`,
      name,
      problem,
    );
  }
}

/** A CommonJS package as an ES module has its exports under `default` as well. */
const exportsOf = <Package>(loaded: unknown): Package =>
  ({ ...(loaded as object), ...((loaded as { default?: object }).default ?? {}) }) as Package;

export const loadPg = async (): Promise<typeof pg> => exportsOf(await load("pg"));

export const loadDbos = async (): Promise<typeof dbos> => exportsOf(await load(DBOS));

/** What DBOS does not export at its door. */
export interface DbosMigrations {
  ensureSystemDatabase(url: string, logger: object, pool: unknown, schema: string, listens: boolean): Promise<void>;
}

export const loadMigrations = async (): Promise<DbosMigrations> =>
  exportsOf(await load(`${DBOS}/internal/system_database`));
