// How many connections one process takes of a fleet's database.
import { describe, expect, it } from "vitest";
import { openPostgresStore } from "../postgres/store.ts";
import { cluster, freshDatabase, hasPostgres } from "./cluster.ts";

describe.skipIf(!hasPostgres)("requests of one process that are underway at once", () => {
  it("share their connections, and the last one closes them", async () => {
    const url = await freshDatabase();
    const { sql } = await cluster();
    const connections = async (): Promise<number> => {
      const name = new URL(url).pathname.slice(1);
      const [row] = await sql(`select count(*)::int as n from pg_stat_activity where datname = '${name}'`);
      return Number(row?.n);
    };
    const open = () => openPostgresStore(url, { home: "/nonexistent" });
    const stores = [await open(), ...(await Promise.all(Array.from({ length: 19 }, open)))];
    await Promise.all(stores.map((store) => store.runs()));
    // The one that made the tables may be about to close.
    await expect.poll(connections).toBeLessThanOrEqual(4);
    const [last, ...others] = stores;
    await Promise.all(others.map((store) => store.close()));
    expect(await last?.runs()).toEqual([]);
    await last?.close();
    await expect.poll(connections).toBe(0);
  });
});
