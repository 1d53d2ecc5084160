// Firings whose run waits for a person: somebody answers somewhere, another process drives the run on, and the firing is
// over when the run is. Whoever fires or looks at them next writes that down.
import type { Firings } from "../../hosts/firings.ts";
import type { RunStore } from "../../hosts/store.ts";

export async function settleWaiting(store: RunStore, firings: Firings): Promise<void> {
  for (const { runId } of await firings.list({ status: "waits" })) {
    const run = await store.summary(runId);
    if (run?.status === "paused" || run?.status === "queued") continue;
    if (run?.status !== "running") await firings.settle(runId, "ended", run?.status ?? "its run was removed");
    // Whoever drove it on is gone, and a run of a trigger is gone on with. On a fleet its workers see to that.
    else if (run.crashed && !store.fleet) await firings.goOn(runId);
  }
}
