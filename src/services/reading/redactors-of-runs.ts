// Redactors for answers about several runs: each with its own secrets, made when the first thing of that run is shown.
import { setImmediate as turn } from "node:timers/promises";
import { createRedactor, type Redactor, secretsFromEnvironment, WITHHOLDING } from "../../base/redact/index.ts";
import type { RunStore } from "../../storage/store.ts";
import type { Session } from "../session/session.ts";
import { reading } from "../session/store.ts";
import { readToShow, SecretsLost, secretsBefore } from "./read-run.ts";

export function redactorsOfRuns(store: RunStore, session: Pick<Session, "env">): (runId: string) => Promise<Redactor> {
  const made = new Map<string, Promise<Redactor>>();
  return (runId) => {
    const known =
      made.get(runId) ??
      reading(store, runId, (reader) => readToShow(reader, session, ignored, () => turn())).catch((problem: unknown) =>
        withoutJournal(store, runId, session, problem),
      );
    made.set(runId, known);
    return known;
  };
}

const ignored = (): void => {};

/** What is left of a run that was pruned is shown without knowing its secrets; of one whose secrets are lost, nothing is. */
async function withoutJournal(
  store: RunStore,
  runId: string,
  { env }: Pick<Session, "env">,
  problem: unknown,
): Promise<Redactor> {
  const secrets = secretsFromEnvironment(env);
  if ((await store.findRun(runId)) !== runId) return createRedactor({ secrets });
  if (problem instanceof SecretsLost) return WITHHOLDING;
  try {
    const kept = await reading(store, runId, secretsBefore);
    return createRedactor({ secrets: [...secrets, ...kept.secrets], shortSecrets: kept.shortSecrets });
  } catch {
    return WITHHOLDING;
  }
}
