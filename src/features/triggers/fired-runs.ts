// Runs of firings: who drives them depends on the store. In a home this process does; on a fleet they are placed, and
// whichever worker is free drives them.

import type { Result } from "../../base/results/result.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import type { Project } from "../../services/project/read-project.ts";
import { BY_TRIGGER } from "../../services/reading/read-run.ts";
import { DRIVEN, withRefusals } from "../../services/refusals.ts";
import type { DriveListeners, RunOrigin, RunRequest } from "../../services/request.ts";
import type { BackgroundRuns } from "../../services/runs/background.ts";
import { cancelRun } from "../../services/runs/cancel.ts";
import { resumeRun } from "../../services/runs/resume.ts";
import { BEGUN, runWorkflow } from "../../services/runs/run.ts";
import { environmentRedactor } from "../../services/session/exit.ts";
import type { Session } from "../../services/session/session.ts";
import type { Firing, Firings } from "../../storage/firings.ts";
import type { Fleet } from "../../storage/fleet.ts";
import { DriveLeft } from "../../storage/idle-release.ts";
import type { RunStore } from "../../storage/store.ts";
import { placeFired } from "../fleet/work/place.ts";
import { asGivenInputs } from "./fire.ts";
import { sessionOfFirings } from "./firings.ts";
import { concealing, type KnownTrigger } from "./known-trigger.ts";

export interface FiredRuns {
  /** Whether the run of a firing is driven here. */
  has(runId: string): boolean;
  /** Starts, or goes on with, the run of a firing that this process has claimed. */
  start(firing: Firing, trigger: KnownTrigger): Promise<void>;
  /** Of a firing whose run is placed: settles it when the run has ended. False while it goes on. */
  settleIfOver(firing: Firing): Promise<boolean>;
  /** Ends the run of a firing that is over already. */
  cancel(runId: string): Promise<void>;
  /** Resolves when nothing that was started here goes on. */
  idle(): Promise<void>;
  /** Whatever goes on here is let go: another server goes on with it, or the next. */
  close(): Promise<void>;
}

export interface FiringGround {
  readonly store: RunStore;
  readonly firings: Firings;
  readonly project: Project;
  readonly session: Session;
  /** Where runs go on while the driver looks for more. */
  readonly runs: BackgroundRuns;
  /** A file that was just checked. */
  readonly checked: (file: string) => LoadedWorkflow | undefined;
  /** Called with a sentence about each firing that made no run, and about moments that were left out. */
  readonly said?: (sentence: string) => void;
}

const runRequestOf = (
  { runId, body, group }: Firing,
  trigger: KnownTrigger,
): RunRequest & { readonly runId: string } => ({
  file: trigger.file,
  inputs: asGivenInputs((body.inputs ?? {}) as Readonly<Record<string, unknown>>),
  runId,
  queue: { key: group?.key, priority: trigger.priority },
  origin: { startedBy: `${BY_TRIGGER}${trigger.name}`, ...firedBy(body) },
});

function firedBy({ cause }: Firing["body"]): RunOrigin {
  const { person, changed_by } = (cause ?? {}) as { readonly person?: unknown; readonly changed_by?: unknown };
  return {
    ...(typeof person === "string" ? { firedBy: person } : {}),
    ...(Array.isArray(changed_by) ? { changedBy: changed_by.filter((one) => typeof one === "string") } : {}),
  };
}

/** A firing that cannot make a run is over, and is reported. */
async function settleFailed(
  { firings, said, session }: FiringGround,
  { runId, body }: Pick<Firing, "runId" | "body">,
  problem: string,
  trigger: KnownTrigger,
): Promise<void> {
  const reason = concealing(trigger, session.env, { inputs: body.inputs }).text(problem);
  await firings.settle(runId, "failed", reason);
  said?.(noRunText(trigger.name, reason));
}

export const noRunText = (name: string, reason: string): string => `The trigger ${name} started no run: ${reason}`;

export class RunsHere implements FiredRuns {
  readonly #going = new Map<string, { stop(): void; leave(): void; readonly settled: Promise<void> }>();

  constructor(private readonly ground: FiringGround) {}

  has(runId: string): boolean {
    return this.#going.has(runId);
  }

  async start(firing: Firing, trigger: KnownTrigger): Promise<void> {
    const { runId } = firing;
    const { store, firings, runs } = this.ground;
    const before = await store.summary(runId);
    if (before?.status === "paused") return firings.wait(runId);
    if (before && before.status !== "running" && before.status !== "cancelled")
      return firings.settle(runId, "ended", before.status);
    // A user resumed it by hand.
    if (before?.status === "running" && !before.crashed) return firings.release(runId);
    if (runs.isClosed) return firings.release(runId);
    const run = runs.start((listeners) => this.#drive(firing, trigger, listeners), runId);
    const settled = run.result
      .then(
        (result) => this.#settle(firing, result, trigger),
        (problem: unknown) =>
          problem instanceof DriveLeft
            ? firings.release(runId)
            : settleFailed(this.ground, firing, String(problem), trigger),
      )
      .finally(() => this.#going.delete(runId));
    this.#going.set(runId, { stop: () => run.stop(), leave: () => run.leave(), settled });
  }

  /** Nothing is placed here. */
  async settleIfOver(): Promise<boolean> {
    return false;
  }

  async cancel(runId: string): Promise<void> {
    const { store, session } = this.ground;
    const here = this.#going.get(runId);
    here?.stop();
    if (here) await here.settled;
    else if (await store.summary(runId)) await cancelRun(session, { run: runId });
  }

  async idle(): Promise<void> {
    while (this.#going.size > 0) await this.#allSettled();
  }

  async close(): Promise<void> {
    for (const { leave } of this.#going.values()) leave();
    await this.#allSettled();
  }

  async #allSettled(): Promise<void> {
    await Promise.allSettled([...this.#going.values()].map(({ settled }) => settled));
  }

  async #drive(firing: Firing, trigger: KnownTrigger, listeners: DriveListeners): Promise<Result> {
    const result = await runWorkflow(sessionOfFirings(this.ground), runRequestOf(firing, trigger), listeners);
    if (result.errors[0]?.error_type !== BEGUN) return result;
    // It had begun before a server went down: it is found, and gone on with.
    const { session, project } = this.ground;
    return resumeRun({ ...session, cwd: project.dir }, { target: firing.runId, inputs: {} }, listeners);
  }

  async #settle(firing: Firing, result: Result, trigger: KnownTrigger): Promise<void> {
    const { firings } = this.ground;
    const { runId } = firing;
    // Another process has it: the firing is not over.
    if (result.errors[0]?.error_type === DRIVEN) return firings.release(runId);
    const began = result.run_id !== null && result.status !== "invalid";
    if (result.status === "paused") await firings.wait(runId);
    else if (began) await firings.settle(runId, "ended", result.status);
    else await settleFailed(this.ground, firing, result.error ?? "it did not begin", trigger);
  }
}

/** A run is placed in the transaction that marks its firing as begun: there is one or none. Any driver settles it. */
export class RunsOnFleet implements FiredRuns {
  constructor(
    private readonly ground: FiringGround,
    private readonly fleet: Fleet,
  ) {}

  has(): boolean {
    return false;
  }

  async start(firing: Firing, trigger: KnownTrigger): Promise<void> {
    const { store } = this.ground;
    const session = sessionOfFirings(this.ground);
    const request = runRequestOf(firing, trigger);
    const result = await withRefusals(session, () =>
      placeFired(store, this.fleet, session, request, this.ground.checked(trigger.file)),
    );
    if (result.status === "invalid" || result.run_id === null)
      await settleFailed(this.ground, firing, result.error ?? "it did not begin", trigger);
  }

  async settleIfOver({ runId }: Firing): Promise<boolean> {
    const { store, firings, session } = this.ground;
    const run = await store.summary(runId);
    if (run?.status === "queued" || run?.status === "running") return false;
    if (run?.status === "paused") {
      await firings.wait(runId);
      return false;
    }
    const refused = run && ((await this.fleet.standing(runId))?.refused as Result | null | undefined);
    const why = refused?.error ?? "no worker could drive its run";
    if (refused) await firings.settle(runId, "failed", environmentRedactor(session.env).text(why));
    else await firings.settle(runId, "ended", run?.status ?? "its run was removed");
    return true;
  }

  async cancel(runId: string): Promise<void> {
    const { store, session } = this.ground;
    if (await store.summary(runId)) await cancelRun(session, { run: runId });
  }

  async idle(): Promise<void> {}

  async close(): Promise<void> {}
}
