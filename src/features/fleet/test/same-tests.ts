// Tests that are written for this process, on a fleet: a file of them has a Postgres and a worker, and each test finds the
// tables empty. What is about the driving process, its files or its memory is left out by name.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { driveOn } from "../../../../test/support/host.ts";
import { KEPT_CODE, PROGRAM } from "../../../../test/support/program.ts";
import { cluster } from "./cluster.ts";
import { SEAL_KEY } from "./fleet.ts";
import { startWorkerProcess } from "./workers.ts";

interface Ready {
  readonly url: string;
  end(): Promise<void>;
}

async function ready(): Promise<Ready> {
  const { database, drop } = await cluster();
  const url = await database();
  const home = mkdtempSync(join(tmpdir(), "segno-worker-"));
  const { PATH } = process.env;
  const env = {
    PATH,
    HOME: home,
    NO_COLOR: "1",
    CI: "1",
    SEGNO_HOME: home,
    SEGNO_ON: url,
    SEGNO_SEAL_KEY: SEAL_KEY,
    ...KEPT_CODE,
    SEGNO_POLL_SECONDS: "0.05",
    SEGNO_COMMAND: JSON.stringify([process.execPath, PROGRAM]),
  };
  const worker = await startWorkerProcess({ cwd: home, env }, []);
  return {
    url,
    async end() {
      await worker.kill();
      await drop(url);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** What runs have left behind; workers stay. */
const EMPTY = `do $$ declare tables text; begin
  select string_agg(format('segno.%I', tablename), ', ') into tables from pg_tables
  where schemaname = 'segno' and tablename not in ('about', 'workers');
  execute 'truncate ' || tables;
end $$`;

/** `leftOut`: why a test, by a part of its name, says nothing of a fleet. */
export function onFleet(leftOut: Readonly<Record<string, string>> = {}): void {
  let there: Ready;
  beforeAll(async () => {
    there = await ready();
  });
  beforeEach((context) => {
    const reason = Object.entries(leftOut).find(([part]) => context.task.name.includes(part))?.[1];
    if (reason !== undefined) return context.skip(reason);
    driveOn({ url: there.url, sealKey: SEAL_KEY });
  });
  afterEach(async () => {
    driveOn();
    await (await cluster()).sql(EMPTY, there.url);
  });
  afterAll(() => there.end());
}
