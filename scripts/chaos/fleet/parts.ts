// What chaos takes from the tests and from the program: a Postgres of its own, and the store in it.
export { openPostgresStore } from "../../../src/hosts/postgres/store.ts";
export { runWorkflow } from "../../../src/services/runs/run.ts";
export { ownCluster } from "../../../test/postgres/databases.ts";
export { lossyProxy } from "../../../test/postgres/lossy-proxy.ts";
export { hasPostgres } from "../../../test/postgres/server.ts";
