// Triggers beside a server: of the project that it stands in, if there is one that is trusted and has any.
import { realClock } from "../../hosts/clock.ts";
import type { BackgroundRuns } from "../background.ts";
import { findProjectFile, isOwnedByUs } from "../project/find-project.ts";
import { readProject } from "../project/read-project.ts";
import { isTrusted } from "../project/trust.ts";
import type { Surroundings } from "../request.ts";
import type { Webhook, WebhookAnswer } from "./deliver.ts";
import { TriggerDriver } from "./driver.ts";

export interface ServedTriggers {
  readonly count: number;
  deliver(webhook: Webhook): Promise<WebhookAnswer>;
  /** Before the runs are closed: what is stopped here is gone on with by the next server. */
  close(): Promise<void>;
}

export async function serveTriggers(
  surroundings: Surroundings,
  runs: BackgroundRuns,
  trouble: (problem: unknown) => void,
): Promise<ServedTriggers | undefined> {
  const file = findProjectFile(surroundings.cwd);
  if (file === undefined || !isOwnedByUs(file)) return undefined;
  const { project } = readProject(file, surroundings.env);
  if (!project || project.triggers.length === 0 || !isTrusted(project, surroundings)) return undefined;
  const driver = await TriggerDriver.open({ project, surroundings, clock: realClock, runs, trouble });
  const stop = new AbortController();
  const driving = driver.run(stop.signal);
  return {
    count: project.triggers.length,
    deliver: (webhook) => driver.deliver(webhook),
    async close() {
      stop.abort();
      await driving;
      await driver.close();
    },
  };
}
