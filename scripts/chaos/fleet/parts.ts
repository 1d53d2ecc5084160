// What chaos takes from the tests and from the program: a Postgres of its own, and the store in it.
export { openPostgresStore } from "../../../src/features/fleet/postgres/store.ts";
export { ownCluster } from "../../../src/features/fleet/test/databases.ts";
export { lossyProxy } from "../../../src/features/fleet/test/lossy-proxy.ts";
export { hasPostgres } from "../../../src/features/fleet/test/server.ts";
export { runWorkflow } from "../../../src/services/runs/run.ts";
