// The embedded store does what every store does.
import { firingsConformance } from "../../../test/support/stores/firings.ts";
import { freshStore, openTestStore } from "../../../test/support/stores/homes.ts";
import { livenessConformance } from "../../../test/support/stores/liveness.ts";
import { runLogConformance, runReaderConformance } from "../../../test/support/stores/run.ts";
import { runStoreConformance } from "../../../test/support/stores/run-store.ts";
import { sharedStateConformance } from "../../../test/support/stores/shared-state.ts";
import type { StoreMaker } from "../../../test/support/stores/store-maker.ts";
import { SILENCE_MS } from "./liveness.ts";
import type { EmbeddedStore } from "./store.ts";

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
