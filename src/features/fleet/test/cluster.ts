// The Postgres that all test files of a run share. The first test that needs it starts it, in the folder that
// global-setup.ts names; a test that stops its Postgres has one of its own (databases.ts). Where there is no Postgres, tests
// that need one are skipped by name.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { type Cluster, clusterAt, makeTemplate } from "./databases.ts";
import { SHARED_FOLDER, startServer } from "./server.ts";

export { hasPostgres } from "./server.ts";

/** Whoever comes first starts it; the others wait until its address, or why there is none, stands in its folder. */
async function sharedIn(folder: string): Promise<Cluster> {
  const [address, failure] = [join(folder, "address"), join(folder, "failure")];
  const write = (file: string, text: string): void => {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  try {
    mkdirSync(join(folder, "started"));
  } catch {
    await until(() => existsSync(address) || existsSync(failure));
    if (existsSync(failure))
      throw new Error(`the Postgres of the tests is not there: ${readFileSync(failure, "utf8")}`);
    return clusterAt(readFileSync(address, "utf8"));
  }
  try {
    const { url } = await startServer(folder);
    await makeTemplate(url);
    write(address, url);
    return clusterAt(url);
  } catch (problem) {
    write(failure, String(problem));
    throw problem;
  }
}

let shared: Promise<Cluster> | undefined;

export function cluster(): Promise<Cluster> {
  const folder = process.env[SHARED_FOLDER];
  if (folder === undefined) throw new Error("src/features/fleet/test/global-setup.ts has not run");
  shared ??= sharedIn(folder);
  return shared;
}

/** A database with the tables of a fleet, for as long as the test goes on. */
export async function freshDatabase(): Promise<string> {
  const { database, drop } = await cluster();
  const address = await database();
  onTestFinished(() => drop(address));
  return address;
}
