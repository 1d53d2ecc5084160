// A run that no worker has: whether one will take it, and why not.
import type { WorkerView } from "../../hosts/fleet.ts";
import type { RunStore, StoredRun } from "../../hosts/store.ts";

export interface WhyItWaits {
  /** For a list. */
  readonly short: string;
  readonly sentence: string;
}

/** `sealedWith`: the id of the key that what is asked of the run is sealed with. */
export function whyNobodyTakesIt(
  sealedWith: string | null,
  workers: readonly Pick<WorkerView, "keys">[],
): WhyItWaits | undefined {
  if (workers.length === 0)
    return {
      short: "no worker is there",
      sentence:
        "No worker is there to take the run. Start one with `segno worker` and the same address (the run waits for it).",
    };
  // One that does not say which keys it has may have this one.
  if (sealedWith === null || workers.some(({ keys }) => keys?.includes(sealedWith) ?? true)) return undefined;
  return {
    short: `no worker that is there has its key ${sealedWith}`,
    sentence: `No worker that is there can read the run: it is sealed with the key ${sealedWith}, and their SEGNO_SEAL_KEY is another. Give them this key as well, behind a comma, or start one that has it (the run waits for it).`,
  };
}

/** Of runs that a list shows: the workers are asked for once, and only where a run waits. */
export async function whyTheyWait(
  { fleet }: RunStore,
  runs: readonly StoredRun[],
): Promise<(run: StoredRun) => WhyItWaits | undefined> {
  const isWaiting = runs.some(({ waits }) => waits);
  const workers = fleet && isWaiting ? await fleet.workers() : [];
  return ({ waits }) => waits && whyNobodyTakesIt(waits.sealedWith, workers);
}
