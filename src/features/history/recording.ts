// Runs that are looked back at: those of a workflow file, and what is known of one of them for playing it again.

import { resolve } from "node:path";
import type { RunEvent } from "../../base/events/registry.ts";
import { apply, initialState } from "../../base/events/state/fold.ts";
import type { RunState } from "../../base/events/state/state.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { lastDefinition } from "../../services/reading/definition.ts";
import { eachEvent } from "../../services/reading/read-run.ts";
import { type Refused, refusal } from "../../services/refusals.ts";
import { shownPath } from "../../services/session/files.ts";
import { joinSecrets } from "../../services/session/run-secrets.ts";
import type { Session } from "../../services/session/session.ts";
import { reading } from "../../services/session/store.ts";
import { parseDuration } from "../../steps/schema/readings.ts";
import type { RunReader } from "../../storage/run-reader.ts";
import type { RunStore, StoredRun } from "../../storage/store.ts";
import { answersIn, momentOf, type RecordedAnswers } from "../scenarios/recorded-answers.ts";

export interface Recording extends RecordedAnswers {
  readonly runId: string;
  /** It was answered by a scenario: nothing of it happened. */
  readonly isRehearsal: boolean;
  readonly state: RunState;
  readonly events: readonly RunEvent[];
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Secrets that are not kept any more have a stand-in. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Names of inputs that have one. */
  readonly standIns: readonly string[];
  /** The files as the last drive read them; none: the run ended before they were pinned. */
  readonly workflow: LoadedWorkflow | undefined;
  /** Keys of questions that the run waits at. */
  readonly open: ReadonlySet<string>;
}

/** `files`: those that were read already, by their digest; many runs are driven with the same. */
export async function recordingOf(
  reader: RunReader,
  session: Session,
  files = new Map<string, LoadedWorkflow>(),
): Promise<Recording> {
  const state = initialState(reader.runId);
  const events: RunEvent[] = [];
  await eachEvent(reader.events(), (event) => {
    apply(state, event);
    events.push(event);
  });
  // The same file means something else in a run that keeps the rules of an earlier release.
  const digest = state.definitionHash ? JSON.stringify([state.definitionHash, state.semantics]) : "";
  const workflow = files.get(digest) ?? (await lastDefinition(reader, state, session)).root;
  if (workflow && digest !== "") files.set(digest, workflow);
  const secrets = await reader.secrets();
  const standIns = state.hiddenInputs.filter((name) => !Object.hasOwn(secrets, name));
  const inputs = { ...joinSecrets(state, secrets) };
  for (const name of standIns) inputs[name] = standInFor(name, workflow);
  const { placeOf, ...answers } = answersIn(events, workflow);
  return {
    runId: reader.runId,
    isRehearsal: isOfScenario(events[0]),
    state,
    events,
    startedAt: momentOf(events[0]?.ts) ?? momentOf(reader.meta.created) ?? 0,
    inputs,
    standIns,
    workflow,
    ...answers,
    open: new Set(state.status === "paused" ? [...state.gates.keys()].map(placeOf) : []),
  };
}

/** What stands for a secret that was forgotten when its run was over. */
function standInFor(name: string, workflow: LoadedWorkflow | undefined): unknown {
  switch (workflow?.definition.workflow.input?.[name]?.type) {
    case "number":
      return 0;
    case "boolean":
      return false;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return `stand-in-for-${name}`;
  }
}

export interface PastRuns {
  readonly cwd: string;
  readonly file: string;
  /** Only those that began within this time: `30d`. */
  readonly since?: string;
  readonly limit?: number;
}

/** Newest first. Runs that a scenario answered, rows of evals among them, and what waits for its first drive have no past. */
export async function pastRuns(
  store: RunStore,
  { cwd, file, since, limit = Number.POSITIVE_INFINITY }: PastRuns,
): Promise<readonly StoredRun[]> {
  const seconds = since === undefined ? undefined : parseDuration(since);
  if (since !== undefined && seconds === undefined)
    throw refusal(`${JSON.stringify(since)} is no age; write 30d, 12h or 90m`);
  const from = seconds === undefined ? 0 : Date.now() - seconds * 1000;
  const found: StoredRun[] = [];
  for (let before: string | undefined; ; ) {
    const page = await store.runs({ file: resolve(cwd, file), limit: PAGE, before });
    const inTime = page.filter(({ started }) => Date.parse(started) >= from);
    for (const run of inTime) {
      if (found.length >= limit) return found;
      if (run.status !== "queued" && !(await isRehearsal(store, run.runId))) found.push(run);
    }
    before = page.at(-1)?.runId;
    if (page.length < PAGE || inTime.length === 0) return found;
  }
}

const PAGE = 200;

/** What cannot be read counts: its reader says why it cannot. */
const isRehearsal = (store: RunStore, runId: string): Promise<boolean> =>
  reading(store, runId, async (reader) => {
    for await (const event of reader.events()) return isOfScenario(event);
    return false;
  }).catch(() => false);

/** Of a run's first event: a scenario answered the run, and nothing of it happened. */
export const isOfScenario = (event: RunEvent | undefined): boolean =>
  event?.type === "workflow_started" && event.data.system?.scenario !== undefined;

export const noRuns = ({ cwd, file, since }: PastRuns): Refused =>
  refusal(
    `there are no runs of ${shownPath(resolve(cwd, file), cwd)}${since === undefined ? "" : ` of the last ${since}`}`,
    { hint: "Run it first (segno run). Runs with --scenario and rows of evals do not count." },
  );
