// The firings of a store, with the project whose triggers are meant.
import type { Firings } from "../../hosts/firings.ts";
import type { RunStore } from "../../hosts/store.ts";
import type { Project } from "../project/read-project.ts";
import { projectHere } from "../project/trust-project.ts";
import { refusal } from "../refusals.ts";
import type { Session } from "../session/session.ts";
import { withStore } from "../session/store.ts";

export const withFirings = <Answer>(
  session: Session,
  use: (firings: Firings, project: Project, store: RunStore) => Answer | Promise<Answer>,
): Promise<Answer> =>
  withStore(session, async (store) => {
    const { firings } = store.state;
    if (!firings) throw refusal("this store keeps no firings");
    await settleWaiting(store, firings);
    return use(firings, projectHere(session, { needsNoPlugin: true }), store);
  });

/** Firings whose run waits for a person are over when the run is: the next process that lists them records that. */
export async function settleWaiting(store: RunStore, firings: Firings): Promise<void> {
  for (const { runId } of await firings.list({ status: "waits" })) {
    const run = await store.summary(runId);
    if (run?.status === "paused" || run?.status === "queued") continue;
    if (run?.status !== "running") await firings.settle(runId, "ended", run?.status ?? "its run was removed");
    // Its driver is gone, and a run of a trigger is resumed by itself. On a fleet its workers do that.
    else if (run.crashed && !store.fleet) await firings.goOn(runId);
  }
}
