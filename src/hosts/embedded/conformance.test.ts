// The embedded store does what every store does.
import { firingsConformance } from "../conformance/firings.ts";
import { livenessConformance } from "../conformance/liveness.ts";
import { runLogConformance, runReaderConformance } from "../conformance/run.ts";
import { runStoreConformance } from "../conformance/run-store.ts";
import { sharedStateConformance } from "../conformance/shared-state.ts";
import type { StoreMaker } from "../conformance/store-maker.ts";
import { SILENCE_MS } from "./liveness.ts";
import type { EmbeddedStore } from "./store.ts";
import { freshStore, openTestStore } from "./testing/homes.ts";

const embedded: StoreMaker = {
  silenceMs: SILENCE_MS,
  fresh: (options) => freshStore(options),
  again: (store, options) => openTestStore((store as EmbeddedStore).home, options),
};

runStoreConformance("embedded", embedded);
runLogConformance("embedded", embedded);
runReaderConformance("embedded", embedded);
sharedStateConformance("embedded", embedded);
firingsConformance("embedded", embedded);
livenessConformance("embedded", embedded);
