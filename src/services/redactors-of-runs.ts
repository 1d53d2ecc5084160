// Redactors for answers about several runs: each with its own secrets, made when the first thing of that run is shown.
import type { RunStore } from "../hosts/store.ts";
import { createRedactor, type Redactor, secretsFromEnvironment } from "../redact/index.ts";
import { redactorFor } from "./read-run.ts";
import type { Surroundings } from "./request.ts";
import { reading } from "./store.ts";

export function redactorsOfRuns(
  store: RunStore,
  surroundings: Pick<Surroundings, "env">,
): (runId: string) => Promise<Redactor> {
  const made = new Map<string, Promise<Redactor>>();
  return (runId) => {
    const known =
      made.get(runId) ??
      reading(store, runId, (reader) => redactorFor(reader, surroundings)).catch(() =>
        // The run was pruned, or cannot be read: what is left of it is shown without knowing its secrets.
        createRedactor({ secrets: secretsFromEnvironment(surroundings.env) }),
      );
    made.set(runId, known);
    return known;
  };
}
