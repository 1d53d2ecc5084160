// What the page says of a dead letter that cannot be tried again now.
import { expect, it } from "vitest";
import type { RunStore, StoredRun } from "../../storage/store.ts";
import { whyNotRetried } from "./view.ts";

const DRIVEN = "its run is being driven: retry it when the run has come to its end";

it.each<[string, Partial<StoredRun> | undefined, string | null]>([
  ["failed", { status: "failed", resumable: true }, null],
  ["has ended without what the letter lost", { status: "degraded" }, null],
  ["is paused", { status: "paused", resumable: true }, null],
  ["is being driven", { status: "running" }, DRIVEN],
  ["was killed", { status: "running", crashed: true }, null],
  ["waits for a worker", { status: "paused", resumable: true, waits: "for a worker" as never }, DRIVEN],
  ["was cancelled for good", { status: "cancelled" }, "its run is cancelled, and cannot go on"],
  ["was pruned", undefined, "its run is gone"],
])("an open letter of a run that %s", async (_, run, why) => {
  const summary = async () => run && { crashed: false, resumable: false, ...run };
  const store = { summary } as unknown as RunStore;
  expect(await whyNotRetried(store, [{ run_id: "01A", status: "open" }])).toEqual([why]);
});

it("one that is being retried says so, whatever its run does", async () => {
  const store = { summary: async () => undefined } as unknown as RunStore;
  expect(await whyNotRetried(store, [{ run_id: "01A", status: "retrying" }])).toEqual(["it is being retried"]);
});
