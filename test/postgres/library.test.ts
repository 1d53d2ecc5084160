// The library on a fleet: a store by the address of its Postgres.
import { describe, expect, it } from "vitest";
import { openPostgresStore } from "../../src/hosts/postgres/store.ts";
import { newRunId } from "../../src/hosts/run-id.ts";
import { openStore } from "../../src/index.ts";
import { freshDatabase, hasPostgres } from "./cluster.ts";

describe.skipIf(!hasPostgres)("openStore with the address of a Postgres", () => {
  it("lists the runs of the fleet", async () => {
    const url = await freshDatabase();
    const runId = newRunId();
    const store = await openPostgresStore(url, { home: "/nonexistent" });
    await store.fleet.begin({ runId, workflow: "w", file: "/w.yaml", durability: "process" }, { request: {} });
    await store.close();
    expect(await openStore(url).runs()).toMatchObject([{ run_id: runId, workflow: "w", status: "queued" }]);
  });
});
