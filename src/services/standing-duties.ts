// What a server does without being asked: it fires the triggers of a trusted project, and drives runs on whose gates have
// timed out.
import { type HostClock, realClock } from "../hosts/clock.ts";
import type { BackgroundRuns } from "./background.ts";
import { resumeDueGates } from "./due-gates.ts";
import type { Project } from "./project/read-project.ts";
import type { Surroundings } from "./request.ts";
import type { Webhook, WebhookAnswer } from "./triggers/deliver.ts";

export interface Duties {
  /** Absent: there are no triggers, so nobody takes webhooks. */
  readonly deliver?: (webhook: Webhook) => Promise<WebhookAnswer>;
  /** Resolves when nothing of it goes on any more, after the signal has aborted. */
  readonly done: Promise<void>;
}

interface OnDuty {
  readonly surroundings: Surroundings;
  /** A trusted project, whose triggers are fired. */
  readonly project?: Project;
  /** Only runs of these files are driven on. */
  readonly isOurs: (file: string) => boolean;
  readonly runs: BackgroundRuns;
  readonly clock?: HostClock;
  readonly signal: AbortSignal;
  /** Told what went wrong; the next round tries again. */
  readonly trouble: (problem: unknown) => void;
}

const ROUND_MS = 1000;

export async function takeUpDuties({
  surroundings,
  project,
  isOurs,
  runs,
  clock = realClock,
  signal,
  trouble,
}: OnDuty): Promise<Duties> {
  if (!project) return { done: rounds() };
  const { TriggerDriver } = await import("./triggers/driver.ts");
  const driver = await TriggerDriver.open({ project, surroundings, clock, runs, trouble });
  return {
    deliver: (webhook) => driver.deliver(webhook),
    done: driver.run(signal).then(() => driver.close()),
  };

  async function rounds(): Promise<void> {
    while (!signal.aborted) {
      await resumeDueGates(surroundings, clock.now(), isOurs).catch(trouble);
      await clock.sleep(ROUND_MS, signal);
    }
  }
}
