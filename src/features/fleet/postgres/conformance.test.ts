// The store on Postgres does what every store does.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, onTestFinished } from "vitest";
import { firingsConformance } from "../../../../test/support/stores/firings.ts";
import { livenessConformance } from "../../../../test/support/stores/liveness.ts";
import { runLogConformance, runReaderConformance } from "../../../../test/support/stores/run.ts";
import { runStoreConformance } from "../../../../test/support/stores/run-store.ts";
import { sharedStateConformance } from "../../../../test/support/stores/shared-state.ts";
import type { StoreMaker, StoreOptions } from "../../../../test/support/stores/store-maker.ts";
import { freshDatabase, hasPostgres } from "../test/cluster.ts";
import { openPostgresStore, type PostgresStore, SILENCE_MS } from "./store.ts";

interface Opened {
  readonly url: string;
  /** The database has one clock, whoever asks it. */
  readonly clock?: () => number;
}

const opened = new WeakMap<object, Opened>();

async function open({ url, clock }: Opened, { now, host }: StoreOptions = {}): Promise<PostgresStore> {
  const home = mkdtempSync(join(tmpdir(), "segno-fleet-"));
  const store = await openPostgresStore(url, {
    home,
    sealKey: "0123456789abcdef0123456789abcdef",
    ...(now ? { now } : {}),
    ...(clock ? { clock } : {}),
    ...(host ? { host } : {}),
  });
  opened.set(store, { url, ...(clock ? { clock } : {}) });
  homes.set(url, homes.get(url) ?? home);
  onTestFinished(async () => {
    await store.close();
    rmSync(home, { recursive: true, force: true });
  });
  return store;
}

const homes = new Map<string, string>();

const postgres: StoreMaker = {
  silenceMs: SILENCE_MS,
  fresh: async (options = {}) => open({ url: await freshDatabase(), clock: options.now }, options),
  again: (store, options) => open(opened.get(store)!, options),
};

describe.skipIf(!hasPostgres)("on Postgres", () => {
  runStoreConformance("postgres", postgres);
  runLogConformance("postgres", postgres);
  runReaderConformance("postgres", postgres);
  sharedStateConformance("postgres", postgres);
  firingsConformance("postgres", postgres);
  livenessConformance("postgres", postgres);
});
