// What a run's journal says, whoever looks: its state, and what must be hidden of it.
import { apply, initialState } from "../events/fold.ts";
import type { RunEvent } from "../events/registry.ts";
import type { RunState } from "../events/state.ts";
import type { Events, RunReader } from "../hosts/run-reader.ts";
import { createRedactor, type Redactor, secretsFromEnvironment } from "../redact/index.ts";
import { learnSecrets } from "../results/index.ts";
import type { Surroundings } from "./request.ts";
import { textsOf } from "./secret-inputs.ts";

/** Calls for each event. A journal on this machine is read through without a pause. */
export async function eachEvent(events: Events, use: (event: RunEvent) => void): Promise<void> {
  if (Symbol.iterator in events) for (const event of events) use(event);
  else for await (const event of events) use(event);
}

/** Events that can be folded by whoever folds without waiting. */
export async function readEvents(events: Events): Promise<Iterable<RunEvent>> {
  if (Symbol.iterator in events) return events;
  const all: RunEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

export async function stateOf(reader: Pick<RunReader, "runId" | "events">): Promise<RunState> {
  const state = initialState(reader.runId);
  await eachEvent(reader.events(), (event) => apply(state, event));
  return state;
}

/** Whatever is shown of a run later is redacted with its own secrets, not only with those of whoever looks. */
export async function redactorFor(
  reader: Pick<RunReader, "secrets" | "events">,
  surroundings: Pick<Surroundings, "env">,
): Promise<Redactor> {
  const redactor = await redactorBefore(reader, surroundings);
  await eachEvent(reader.events(), (event) => learnSecrets(event, redactor));
  return redactor;
}

/** The same for whoever reads the events anyway, and lets it learn from each. */
export async function redactorBefore(
  reader: Pick<RunReader, "secrets">,
  { env }: Pick<Surroundings, "env">,
): Promise<Redactor> {
  const secrets = await reader.secrets();
  return createRedactor({ secrets: secretsFromEnvironment(env), shortSecrets: [...textsOf(secrets)] });
}

/** A run's state and its redactor, from one reading. */
export async function stateToShow(
  reader: Pick<RunReader, "runId" | "events" | "secrets">,
  surroundings: Pick<Surroundings, "env">,
): Promise<{ readonly state: RunState; readonly redactor: Redactor }> {
  const redactor = await redactorBefore(reader, surroundings);
  const state = initialState(reader.runId);
  await eachEvent(reader.events(), (event) => {
    apply(state, event);
    learnSecrets(event, redactor);
  });
  return { state, redactor };
}
