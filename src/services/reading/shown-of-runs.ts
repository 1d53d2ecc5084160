// For answers about several runs: each part leaves with the secrets of its own run, read when the first thing of that run is shown.
import { setImmediate as turn } from "node:timers/promises";
import { createRedactor, type Redactor, secretsFromEnvironment, WITHHOLDING } from "../../base/redact/index.ts";
import type { RunStore } from "../../storage/store.ts";
import type { Session } from "../session/session.ts";
import { reading } from "../session/store.ts";
import { readToShow, SecretsLost, secretsBefore } from "./read-run.ts";

/** What is said of a run, as it may be shown. */
export type ShownOfRun = <Part>(part: Part) => Part;

export function shownOfRuns(store: RunStore, { env }: Pick<Session, "env">): (runId: string) => Promise<ShownOfRun> {
  const made = new Map<string, Promise<ShownOfRun>>();
  return (runId) => {
    const known =
      made.get(runId) ??
      reading(store, runId, (reader) => readToShow(reader, { env }, ignored, () => turn()))
        .catch((problem: unknown) => withoutJournal(store, runId, env, problem))
        .then(
          (redactor): ShownOfRun =>
            (part) =>
              redactor.answer(part),
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
  env: Session["env"],
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
