// Runs of firings on a fleet: the run is placed in the transaction that marks its firing as begun, so a process may die at
// any moment between firing and starting, and there is one run or none yet. Any driver settles what has ended.

import type { Firing } from "../../hosts/firings.ts";
import type { Fleet } from "../../hosts/fleet.ts";
import type { Result } from "../../results/result.ts";
import { placeFired } from "../fleet/place-fresh.ts";
import { withRefusals } from "../refusals.ts";
import { cancelRun } from "../runs/cancel.ts";
import { withoutSecretsOf } from "../secrets/environment-redactor.ts";
import { type FiredRuns, type FiringGround, runRequestOf, sessionOfFirings, settleFailed } from "./fired-runs.ts";
import type { KnownTrigger } from "./known-trigger.ts";

export class RunsOnFleet implements FiredRuns {
  readonly #ground: FiringGround;
  readonly #fleet: Fleet;

  constructor(ground: FiringGround, fleet: Fleet) {
    this.#ground = ground;
    this.#fleet = fleet;
  }

  has(): boolean {
    return false;
  }

  async start(firing: Firing, trigger: KnownTrigger): Promise<void> {
    const { store } = this.#ground;
    const session = sessionOfFirings(this.#ground);
    const request = runRequestOf(firing, trigger);
    const result = await withRefusals(session, () =>
      placeFired(store, this.#fleet, session, request, this.#ground.checked(trigger.file)),
    );
    if (result.status === "invalid" || result.run_id === null)
      await settleFailed(this.#ground, firing.runId, result.error ?? "it did not begin", trigger);
  }

  async settleIfOver({ runId }: Firing): Promise<boolean> {
    const { store, firings, session } = this.#ground;
    const run = await store.summary(runId);
    if (run?.status === "queued" || run?.status === "running") return false;
    if (run?.status === "paused") {
      await firings.wait(runId);
      return false;
    }
    const refused = run && ((await this.#fleet.standing(runId))?.refused as Result | null | undefined);
    const why = refused?.error ?? "no worker could drive its run";
    if (refused) await firings.settle(runId, "failed", withoutSecretsOf(session.env, why));
    else await firings.settle(runId, "ended", run?.status ?? "its run was removed");
    return true;
  }

  async cancel(runId: string): Promise<void> {
    const { store, session } = this.#ground;
    if (await store.summary(runId)) await cancelRun(session, { run: runId });
  }

  async idle(): Promise<void> {}

  async close(): Promise<void> {}
}
