// Two databases as one store do what every store does.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { firingsConformance } from "../../../../test/support/stores/firings.ts";
import { runLogConformance, runReaderConformance } from "../../../../test/support/stores/run.ts";
import { runStoreConformance } from "../../../../test/support/stores/run-store.ts";
import { sharedStateConformance } from "../../../../test/support/stores/shared-state.ts";
import type { StoreMaker, StoreOptions } from "../../../../test/support/stores/store-maker.ts";
import { scrape } from "../../telemetry/metrics.ts";
import { type CellsStore, openCells } from "../cells/store.ts";
import { openPostgresStore, SILENCE_MS } from "../postgres/store.ts";
import { freshDatabase, hasPostgres } from "./cluster.ts";

interface Opened {
  readonly address: string;
  /** The databases have one clock, whoever asks them. */
  readonly clock?: () => number;
}

const opened = new WeakMap<object, Opened>();

async function open({ address, clock }: Opened, { now, host }: StoreOptions = {}): Promise<CellsStore> {
  const home = mkdtempSync(join(tmpdir(), "segno-cells-"));
  const store = await openCells(address, home, ({ url }) =>
    openPostgresStore(url, {
      home,
      sealKey: "0123456789abcdef0123456789abcdef",
      ...(now ? { now } : {}),
      ...(clock ? { clock } : {}),
      ...(host ? { host } : {}),
    }),
  );
  opened.set(store, { address, ...(clock ? { clock } : {}) });
  onTestFinished(async () => {
    await store.close();
    rmSync(home, { recursive: true, force: true });
  });
  return store;
}

const cells: StoreMaker = {
  silenceMs: SILENCE_MS,
  fresh: async (options = {}) =>
    open({ address: `a=${await freshDatabase()} b=${await freshDatabase()}`, clock: options.now }, options),
  again: (store, options) => open(opened.get(store)!, options),
};

describe.skipIf(!hasPostgres)("on cells", () => {
  it("metrics name the cell", async () => {
    const store = await cells.fresh();
    const text = await scrape(store);
    expect(text).toContain('segno_queue_depth{cell="a"} 0\nsegno_queue_depth{cell="b"} 0\n');
    const [one] = (await store.eachCell?.((cell) => scrape(cell, "a"))) ?? [];
    expect(one?.answer).toContain('segno_queue_depth{cell="a"} 0\n');
  });

  runStoreConformance("cells", cells);
  runLogConformance("cells", cells);
  runReaderConformance("cells", cells);
  sharedStateConformance("cells", cells);
  firingsConformance("cells", cells);
});
