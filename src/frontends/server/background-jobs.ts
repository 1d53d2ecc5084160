// What a server or a worker does without a request: fires the triggers of a trusted project, removes old runs, resumes
// runs whose gates have timed out, and sends reminders of the others.

import type { Webhook, WebhookAnswer } from "../../features/triggers/deliver.ts";
import { GateWatch } from "../../services/gates/deadlines.ts";
import type { Project } from "../../services/project/read-project.ts";
import type { BackgroundRuns } from "../../services/runs/background.ts";
import { homeOf } from "../../services/session/home.ts";
import type { Session } from "../../services/session/session.ts";
import { clockOfStore, storeFor } from "../../services/session/store.ts";
import type { HostClock } from "../../storage/clock.ts";
import type { RunStore } from "../../storage/store.ts";

export interface BackgroundJobs {
  /** Absent: there are no triggers, so webhooks are not accepted. */
  readonly deliver?: (webhook: Webhook) => Promise<WebhookAnswer>;
  /** Which triggers are driven, in a sentence; `file`: whose they are. */
  readonly aboutTriggers?: (file: string) => Promise<string>;
  /** Called when a run has ended: there may be room for the next. */
  readonly wake?: () => void;
  /** Resolves when nothing of it goes on any more, after the signal has aborted. */
  readonly done: Promise<void>;
}

interface BackgroundJobsRequest {
  readonly session: Session;
  /** One that is open already, and whose owner closes it. */
  readonly store?: RunStore;
  /** A trusted project, whose triggers are fired and whose old runs are removed. */
  readonly project?: Project;
  /** Only runs of these files are driven on. */
  readonly isOurs: (file: string) => boolean;
  readonly runs: BackgroundRuns;
  /** The store's own when left out: of a fleet its database's. */
  readonly clock?: HostClock;
  readonly signal: AbortSignal;
  /** Ends notices that are being sent when it aborts; `signal` when left out. */
  readonly noticeSignal?: AbortSignal;
  /** Nothing is done before this resolves: a server listens first, however much there is to catch up with. */
  readonly begins?: Promise<void>;
  /** Called with what went wrong; the next round tries again. */
  readonly trouble: (problem: unknown) => void;
  /** Called with a sentence about each firing that made no run. */
  readonly said?: (sentence: string) => void;
}

const ROUND_MS = 1000;
/** Every worker of a fleet looks. */
const FLEET_ROUND_MS = 2000;
/** Old runs are looked for when a server or worker starts, and then so often. */
const RETENTION_ROUND_MS = 3600_000;

export async function startBackgroundJobs(duties: BackgroundJobsRequest): Promise<BackgroundJobs> {
  const { session, project, runs, signal, begins, trouble, said } = duties;
  const store = duties.store ?? (await storeFor(session));
  const clock = duties.clock ?? clockOfStore(store);
  // Each heartbeat returns the fleet's time: a machine that slept for an hour corrects its clock with the next one.
  if (store.fleet) await store.state.liveness.self();
  const closed = async (): Promise<void> => {
    if (!duties.store) await store.close();
  };
  const watch = new GateWatch({ noticeSignal: signal, ...duties, store, clock });
  const gates = rounds();
  if (!project || project.triggers.length === 0) return { done: gates.then(closed) };
  const { TriggerDriver } = await import("../../features/triggers/driver.ts");
  const driver = await TriggerDriver.open({ project, session, store, clock, runs, trouble, said });
  return {
    deliver: (webhook) => driver.deliver(webhook),
    aboutTriggers: (file) => driver.about(file),
    wake: () => driver.wake(),
    done: Promise.all([gates, driving(driver)]).then(closed),
  };

  async function driving(triggers: typeof driver): Promise<void> {
    await begins;
    await triggers.run(signal);
    await triggers.close();
  }

  async function rounds(): Promise<void> {
    await begins;
    let pruneAt = clock.now();
    while (!signal.aborted) {
      await watch.round().catch(trouble);
      if (clock.now() >= pruneAt) {
        pruneAt = clock.now() + RETENTION_ROUND_MS;
        await tidy().catch(trouble);
      }
      await clock.sleep(store.fleet ? FLEET_ROUND_MS : ROUND_MS, signal);
    }
    await watch.settled();
  }

  async function tidy(): Promise<void> {
    const [{ pruneByRetention }, { forgetSecretsOfAll }, { removeEvalsWithout }] = await Promise.all([
      import("../../services/runs/prune.ts"),
      import("../../services/reading/forget-secrets.ts"),
      import("../../features/evals/eval-store.ts"),
    ]);
    await forgetSecretsOfAll(store, trouble);
    const retention = project?.settings.retention;
    if (!project || !retention) return;
    const removed = await pruneByRetention(store, project.dir, retention, (runId, message) =>
      trouble(new Error(`the run ${runId} could not be removed: ${message}`)),
    );
    const resumable = retention.resumable !== undefined;
    await removeEvalsWithout(store, { home: homeOf(session), removed, resumable });
    if (removed.length > 0) said?.(`${removed.length} old runs were removed, by \`retention\` of segno.yaml.`);
  }
}
