// What `hosts/postgres/dbos.ts` says Segno needs of DBOS is there, in the version that is installed.
import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { COLUMNS, DBOS_VERSION, TABLES, WORKFLOWS } from "../../src/hosts/postgres/dbos.ts";
import { openPostgresStore } from "../../src/hosts/postgres/store.ts";
import { newRunId } from "../../src/hosts/run-id.ts";
import { freshDatabase, hasPostgres } from "./cluster.ts";

it("is the version that users are told to install", () => {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  expect(JSON.parse(text)).toMatchObject({ peerDependencies: { "@dbos-inc/dbos-sdk": DBOS_VERSION } });
});

describe.skipIf(!hasPostgres)("the queue of a fleet", () => {
  it("has the columns that are asked for, and a new drive has all that a claim looks at", async () => {
    const store = await openPostgresStore(await freshDatabase(), { home: "/nonexistent" });
    onTestFinished(() => store.close());
    const { database } = store.surrounding;
    const runId = newRunId();
    await store.fleet.begin({ runId, workflow: "w", file: "/w.yaml", durability: "process" }, { request: {} });
    const [row] = await database.rows<Record<string, unknown>>(
      `select ${COLUMNS.join(", ")} from ${WORKFLOWS} where workflow_uuid = $1`,
      [`${runId}:1`],
    );
    expect(row).toMatchObject({
      ...{ status: "ENQUEUED", name: "drive", queue_name: "segno-drives", application_version: expect.any(String) },
      ...{ queue_partition_key: expect.any(String), priority: expect.any(Number), created_at: expect.anything() },
    });
    // As a prune does with what its runs have there.
    await Promise.all(TABLES.map((table) => database.rows(`select workflow_uuid from ${table} limit 1`)));
  });
});
