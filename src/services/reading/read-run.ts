// Reads a run's journal for any caller: its state, and what must be hidden of it.
import type { EventData, RunEvent } from "../../base/events/registry.ts";
import { secretNamesIn } from "../../base/events/secrets-in-events.ts";
import { apply, initialState } from "../../base/events/state/fold.ts";
import type { RunState } from "../../base/events/state/state.ts";
import { createRedactor, type Redactor, type SeenSecrets, secretsFromEnvironment } from "../../base/redact/index.ts";
import { learnSecrets } from "../../base/results/index.ts";
import type { Events, RunReader } from "../../storage/run-reader.ts";
import { StoreError } from "../../storage/store-error.ts";
import { type Exiting, joined } from "../session/exit.ts";
import { textsOf } from "../session/run-secrets.ts";
import type { Session } from "../session/session.ts";

/** Calls for each event. A journal on this machine is read through without a pause. */
export async function eachEvent(events: Events, use: (event: RunEvent) => void): Promise<void> {
  if (Symbol.iterator in events) for (const event of events) use(event);
  else for await (const event of events) use(event);
}

/** Events for callers that fold synchronously. */
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

type SecretsReader = Pick<
  RunReader,
  "runId" | "folder" | "secretsPlace" | "events" | "secrets" | "seenSecrets" | "hasLostSecrets" | "hasForgottenSecrets"
>;

/** Whatever is shown of a run is redacted with its own secrets, not only with those of the reader's environment. */
export async function redactorFor(reader: SecretsReader, session: Pick<Session, "env"> & Exiting): Promise<Redactor> {
  return readToShow(reader, session, () => {});
}

export async function stateToShow(
  reader: SecretsReader,
  session: Pick<Session, "env"> & Exiting,
): Promise<{ readonly state: RunState; readonly redactor: Redactor }> {
  const state = initialState(reader.runId);
  return { state, redactor: await readToShow(reader, session, (event) => apply(state, event)) };
}

/** Calls for each event, and gives the redactor for what was read. With `turn` others have theirs between stretches. */
export async function readToShow(
  reader: SecretsReader,
  session: Pick<Session, "env"> & Exiting,
  use: (event: RunEvent) => void,
  turn?: () => Promise<void>,
): Promise<Redactor> {
  // Also before: the process that drives it may end it, and forget its secrets, while it is read.
  const redactor = await redactorBefore(reader, session);
  let names: readonly string[] = [];
  const read = (event: RunEvent): void => {
    use(event);
    learnSecrets(event, redactor);
    if (beginsDrive(event)) names = secretNamesIn(event.data);
  };
  if (turn)
    for await (const stretch of inStretches(reader.events(), STRETCH)) {
      stretch.forEach(read);
      await turn();
    }
  else await eachEvent(reader.events(), read);
  await requireSecrets(reader, names);
  // Last: a run keeps a secret before it records an event that holds it.
  await learnKept(reader, redactor);
  return redactor;
}

const STRETCH = 1000;

/** Events in batches of at most `most`: a reader waits once for each, and other work runs in between. */
export async function* inStretches(events: Events, most: number): AsyncGenerator<readonly RunEvent[]> {
  let stretch: RunEvent[] = [];
  // One loop for both: a journal on this machine gives its events without a pause.
  const iterator = Symbol.iterator in events ? events[Symbol.iterator]() : events[Symbol.asyncIterator]();
  try {
    for (;;) {
      const given = iterator.next();
      const { done, value } = given instanceof Promise ? await given : given;
      if (done) break;
      stretch.push(value);
      if (stretch.length < most) continue;
      yield stretch;
      stretch = [];
    }
    if (stretch.length > 0) yield stretch;
  } finally {
    await iterator.return?.();
  }
}

/** What is new of a run, once it is known what has to be hidden of it. */
export async function* newEvents(
  reader: Pick<RunReader, "lastSeq" | "events" | "secrets" | "seenSecrets">,
  after: number,
  redactor: Redactor,
): AsyncGenerator<RunEvent> {
  const last = await reader.lastSeq;
  if (last <= after) return;
  await learnKept(reader, redactor);
  for await (const event of reader.events(after)) {
    if (event.seq > last) return;
    learnSecrets(event, redactor);
    yield event;
  }
}

/** A redactor that knows what a run has kept to be hidden, before an event of it was read. */
export async function redactorBefore(
  reader: Pick<RunReader, "secrets" | "seenSecrets">,
  session: Pick<Session, "env"> & Exiting,
): Promise<Redactor> {
  const redactor = joined(session, createRedactor({ secrets: secretsFromEnvironment(session.env) }));
  await learnKept(reader, redactor);
  return redactor;
}

export async function learnKept(reader: Pick<RunReader, "secrets" | "seenSecrets">, redactor: Redactor): Promise<void> {
  const { secrets, shortSecrets } = await secretsBefore(reader);
  for (const secret of secrets) redactor.learn(secret);
  for (const secret of shortSecrets) redactor.learn(secret, "secret input");
}

export async function secretsBefore(reader: Pick<RunReader, "secrets" | "seenSecrets">): Promise<SeenSecrets> {
  const { secrets, shortSecrets } = await reader.seenSecrets();
  return { secrets, shortSecrets: [...shortSecrets, ...textsOf(await reader.secrets())] };
}

export class SecretsLost extends StoreError {}

interface SecretsOfRun {
  readonly names: readonly string[];
  /** Those secret inputs that are there: kept, or given again. */
  readonly secrets: Readonly<Record<string, unknown>>;
  readonly hasLost: boolean;
}

/** Of a run that is read to be shown; `names`: of its secret inputs, as the journal lists them. */
export async function requireSecrets(
  reader: Omit<SecretsReader, "events" | "seenSecrets">,
  names: SecretsOfRun["names"],
): Promise<void> {
  const kept = { names, secrets: await reader.secrets(), hasLost: await reader.hasLostSecrets() };
  // Asked last: they may have been forgotten just now.
  if (await reader.hasForgottenSecrets()) return;
  requireKept(reader, kept);
}

/** Without its secrets it is not known what to hide of a run, so it is not shown. */
export function requireKept(
  { runId, folder, secretsPlace }: Pick<RunReader, "runId" | "folder" | "secretsPlace">,
  { names, secrets, hasLost }: SecretsOfRun,
): void {
  const [place, back] = secretsPlace
    ? [secretsPlace, "Put it back from a backup"]
    : [`secrets.json in ${folder}`, "Put the file back"];
  const lost = names.filter((name) => !Object.hasOwn(secrets, name));
  if (lost.length > 0)
    throw new SecretsLost(
      "missing",
      `The secret inputs of run ${runId} are not there any more (${lost.join(", ")}; they are kept in ${place}). Without them it is not known what to hide, so nothing of the run is shown. ${back}, or resume the run and give them again.`,
      folder,
    );
  // Secret inputs that are given again make up for the file.
  if (!hasLost || names.length > 0) return;
  throw new SecretsLost(
    "missing",
    `The secrets that turned up in run ${runId} are not there any more: they are kept in ${place}. Without them it is not known what to hide, so nothing of the run is shown. ${back}; if it is lost, start the workflow anew.`,
    folder,
  );
}

export const beginsDrive = (
  event: RunEvent,
): event is RunEvent & { readonly type: "workflow_started" | "run_resumed" } =>
  event.type === "workflow_started" || event.type === "run_resumed";

/** It is among the first events: the rest is not read. */
async function firstStart(reader: Pick<RunReader, "events">): Promise<EventData<"workflow_started"> | undefined> {
  const events: Iterable<RunEvent> | AsyncIterable<RunEvent> = reader.events();
  for await (const event of events) if (event.type === "workflow_started") return event.data;
  return undefined;
}

/** A run that was made with a scenario is a rehearsal: nothing that follows real runs follows it. */
export const isRehearsal = async (reader: Pick<RunReader, "events">): Promise<boolean> =>
  typeof (await firstStart(reader))?.system.scenario === "string";

/** The person who started a run, or who set off the trigger that did; nothing when no person did. */
export async function personWhoStarted(reader: Pick<RunReader, "events">): Promise<string | undefined> {
  const { fired_by, started_by } = (await firstStart(reader)) ?? {};
  return fired_by ?? (started_by?.startsWith(BY_TRIGGER) ? undefined : started_by);
}

export const BY_TRIGGER = "trigger:";
