// What `src/features/fleet/postgres/dbos.ts` says Segno needs of DBOS is there, in the version that is installed.
import { readFileSync } from "node:fs";
import { DBOSClient } from "@dbos-inc/dbos-sdk";
import { describe, expect, it, onTestFinished } from "vitest";
import { newRunId } from "../../../storage/run-index.ts";
import { COLUMNS, DBOS_VERSION, TABLES, WORKFLOWS } from "../postgres/dbos.ts";
import { openPostgresStore } from "../postgres/store.ts";
import { freshDatabase, hasPostgres } from "./cluster.ts";

it("is the version that users are told to install", () => {
  const text = readFileSync(new URL("../../../../package.json", import.meta.url), "utf8");
  expect(JSON.parse(text)).toMatchObject({ peerDependencies: { "@dbos-inc/dbos-sdk": DBOS_VERSION } });
});

async function fleetWithRun() {
  const url = await freshDatabase();
  const store = await openPostgresStore(url, { home: "/nonexistent" });
  onTestFinished(() => store.close());
  const runId = newRunId();
  await store.fleet.begin({ runId, workflow: "w", file: "/w.yaml", durability: "process" }, { request: {} });
  return { url, runId, database: store.access.database };
}

describe.skipIf(!hasPostgres)("the queue of a fleet", () => {
  it("has the columns that are asked for, and a new drive has all that a claim looks at", async () => {
    const { runId, database } = await fleetWithRun();
    const [row] = await database.rows<Record<string, unknown>>(
      `select ${COLUMNS.join(", ")} from ${WORKFLOWS} where workflow_uuid = $1`,
      [`${runId}:1`],
    );
    expect(row).toMatchObject({
      status: "ENQUEUED",
      name: "drive",
      queue_name: "segno-drives",
      application_version: expect.any(String),
      queue_partition_key: expect.any(String),
      priority: expect.any(Number),
      created_at: expect.anything(),
    });
    // As a prune does with what its runs have there.
    await Promise.all(TABLES.map((table) => database.rows(`select workflow_uuid from ${table} limit 1`)));
  });

  it("can be looked at with DBOS's own client", async () => {
    const { url, runId } = await fleetWithRun();
    const client = await DBOSClient.create({ systemDatabaseUrl: url });
    onTestFinished(() => client.destroy());
    expect(await client.listWorkflows({})).toMatchObject([
      { workflowID: `${runId}:1`, status: "ENQUEUED", workflowName: "drive", queueName: "segno-drives" },
    ]);
  });
});
