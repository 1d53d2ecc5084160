// The shared conformance cases on a fleet: starts a Postgres for them, runs them there, and ends it. Arguments go to the
// runner (`node scripts/conformance-on-postgres.mjs errors/ --jobs 4`). Without Postgres it says so, and that is all.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { parts } from "./chaos/fleet/parts.mjs";

const RUNNER = "../shared/conformance/run.mjs";

const { ownCluster, hasPostgres, openPostgresStore } = await parts();
if (!hasPostgres || !existsSync(RUNNER)) {
  console.log(`skipped on Postgres: ${hasPostgres ? `there is no ${RUNNER}` : "there is no Postgres"}`);
  process.exit(0);
}

const postgres = await ownCluster();
// Each case has a database of its own, and every new one is a copy of this: with the tables there, it takes no second.
await (await openPostgresStore(new URL("/template1", postgres.url).href, { home: "/nonexistent" })).close();
const child = spawn(process.execPath, [RUNNER, "--on", postgres.url, ...process.argv.slice(2)], { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.once("close", (code) => {
  postgres.close();
  process.exit(code ?? 1);
});
