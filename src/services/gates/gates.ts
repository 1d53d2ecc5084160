// Gates from outside the run: which ones wait, and answering one. An answer drives the run on.

import { setTimeout as pause } from "node:timers/promises";
import { keptIn } from "../../base/errors/mapping.ts";
import { nearest } from "../../base/errors/nearest.ts";
import { askerName, askerNames, distinctAskerNames } from "../../base/events/asker-name.ts";
import { typeable } from "../../base/events/typeable.ts";
import { authored } from "../../base/redact/index.ts";
import {
  COMMAND_LINE,
  head,
  howToAnswer,
  type ListHead,
  type Reader,
  type Result,
  type ResultGate,
} from "../../base/results/index.ts";
import type { GateOption, Question, QuestionItem } from "../../engine/people/ask.ts";
import { furtherDrive } from "../../features/fleet/work/fleet-request.ts";
import type { RunReader } from "../../storage/run-reader.ts";
import type { OpenQuestion } from "../../storage/shared-state.ts";
import type { RunStore } from "../../storage/store.ts";
import { lastDefinition } from "../reading/definition.ts";
import { redactorFor, stateOf, stateToShow } from "../reading/read-run.ts";
import { cancelledText } from "../reading/report.ts";
import { shownOfRuns } from "../reading/shown-of-runs.ts";
import { DRIVEN, orRefused, Refused, refusal, withRefusals } from "../refusals.ts";
import type { DriveListeners } from "../request.ts";
import { requireResumable, resumeRun, withPeopleOfRun } from "../runs/resume.ts";
import { showRun } from "../runs/runs.ts";
import { skipUnreadable } from "../session/damage.ts";
import { withSnapshot } from "../session/files.ts";
import type { JournalInputs } from "../session/run-secrets.ts";
import type { Session } from "../session/session.ts";
import { clockOfStore, findRun, fleetOf, incompleteOf, reading, withStore } from "../session/store.ts";
import { answeredText, answerFor, firstAnswer, type GateAnswerRequest, isCalled, tooLate } from "./checked-answer.ts";
import { briefInputs, gateRules, type WhoMayAnswer } from "./rules.ts";

interface GateView extends Pick<WhoMayAnswer, "four_eyes" | "not_by">, Pick<ResultGate, "who" | "answer"> {
  readonly run_id: string;
  /** On a fleet that is made of cells: the one that has the run. */
  readonly cell?: string;
  readonly workflow: string | null;
  readonly node_id: string;
  /** What to answer it by: `each[eu]`, `release/approve`. */
  readonly name: string;
  readonly key: string;
  readonly presented_at: string;
  readonly prompt: string;
  readonly options: readonly GateOption[];
  readonly questions?: readonly QuestionItem[];
  /** Of the run, as they are now, each in at most 80 characters: what an answer is about. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Until when an answer counts. */
  readonly deadline?: string;
  /** Whose counts. */
  readonly approvers?: readonly string[];
}

export interface GatesAnswer extends ListHead {
  readonly gates: readonly GateView[];
}

export const listGates = (session: Session): Promise<GatesAnswer> =>
  orRefused(session, { gates: [] }, () =>
    withStore(session, async (store) => {
      const pending = await store.state.gates.pending();
      const now = (session.extensions?.clock ?? clockOfStore(store)).now();
      const shownOf = shownOfRuns(store, session);
      const names = namesInRuns(pending);
      /** Many gates of one run may wait: its journal is read once. */
      const known = new Map<string, ReturnType<typeof askingRun>>();
      const aboutOf = (runId: string) => keptIn(known, runId, () => reading(store, runId, askingRun));
      const what = ({ runId }: OpenQuestion) => `a question of run ${runId}`;
      const gates = await skipUnreadable(session, pending, what, async (gate) => {
        const shown = await shownOf(gate.runId);
        const { inputs, hiddenInputs, workflow } = await aboutOf(gate.runId);
        const cell = store.cellOf?.(gate.runId);
        return {
          ...shown(gateView(gate, names(gate), { workflow, reader: session.reader, now })),
          ...(cell === undefined ? {} : { cell }),
          inputs: briefInputs({ inputs: shown(authored(inputs)), hiddenInputs }),
        };
      });
      return { ...head(0), gates, ...incompleteOf(store) };
    }),
  );

/** What each is called among those that wait in its run. */
function namesInRuns(pending: readonly OpenQuestion[]): (gate: OpenQuestion) => string {
  const byRun = new Map<string, ReadonlyMap<string, string>>();
  for (const runId of new Set(pending.map((gate) => gate.runId)))
    byRun.set(runId, distinctAskerNames(pending.filter((gate) => gate.runId === runId).map(({ key }) => key)));
  return ({ runId, key }) => byRun.get(runId)?.get(key) ?? key;
}

/** By the journal, which is sealed on a fleet, and not by the index: a person decides by what it is called. */
async function askingRun(reader: RunReader): Promise<JournalInputs & { readonly workflow: string | null }> {
  const { inputs, hiddenInputs, root } = await stateOf(reader);
  return { inputs, hiddenInputs, workflow: root.name || null };
}

function gateView(
  { runId, key, presented, question }: OpenQuestion,
  name: string,
  {
    workflow,
    reader = COMMAND_LINE,
    now,
  }: { readonly workflow: string | null; readonly reader: Reader | undefined; readonly now: number },
): Omit<GateView, "inputs"> {
  const asked = question as Question;
  const rules = gateRules(asked);
  const { deadline, approvers, four_eyes, not_by } = rules;
  const ids = asked.kind === "questions" ? { questions: asked.questions.map(({ id }) => id) } : {};
  return {
    run_id: runId,
    workflow,
    node_id: asked.node,
    name,
    key,
    presented_at: presented,
    prompt: asked.prompt ?? "",
    options: asked.kind === "gate" ? asked.options : [],
    ...(asked.kind === "questions" ? { questions: asked.questions } : {}),
    ...(deadline === null ? {} : { deadline }),
    ...(approvers === null ? {} : { approvers }),
    four_eyes,
    not_by,
    ...howToAnswer({ to: "answer", run: runId, gate: name, ...ids }, rules, reader, now),
  };
}

export const answerGate = (
  given: Session,
  request: GateAnswerRequest,
  listeners: DriveListeners = {},
): Promise<Result> =>
  withRefusals(given, async (own) => {
    const session = withSnapshot(own);
    const runId = await withStore(session, (store) => record(store, session, request));
    if (fleetOf(session) !== undefined && listeners.detach)
      return { ...(await showRun(session, { run: runId })), success: true, exit_code: 0 };
    if (fleetOf(session) !== undefined)
      return withStore(session, (store) => followed(store, runId, session, listeners));
    return drivenOn(session, runId, listeners);
  });

const PATIENCE_MS = 10_000;
const POLL_MS = 100;

/** A process that drives the run receives the answer; one that only has it is about to drive, cancel or leave it. */
async function drivenOn(session: Session, runId: string, listeners: DriveListeners): Promise<Result> {
  for (const until = Date.now() + PATIENCE_MS; ; await pause(POLL_MS)) {
    const result = await resumeRun(session, { target: runId, inputs: {}, answers: true }, listeners);
    if (result.errors[0]?.error_type !== DRIVEN) return result;
    // By the index: a process that is about to pause says so there before it looks for answers for the last time.
    const status = await withStore(session, async (store) => (await store.summary(runId))?.status);
    const isSettled = status !== "paused" && status !== "cancelled";
    if (isSettled || Date.now() >= until || listeners.signal?.aborted)
      return { ...(await showRun(session, { run: runId })), success: true, exit_code: 0 };
  }
}

/** The answer and the next drive were placed together: the run is followed from there. */
async function followed(store: RunStore, runId: string, session: Session, listeners: DriveListeners): Promise<Result> {
  const { followOnFleet, orCannotBeFollowed } = await import("../../features/fleet/work/follow.ts");
  return reading(store, runId, async (reader) => {
    const { state, redactor, root } = await orCannotBeFollowed(store, runId, async () => {
      const shown = await stateToShow(reader, session);
      return { ...shown, ...(await lastDefinition(reader, shown.state, session)) };
    });
    const followed = { session, fleet: store.fleet!, runId, redactor, workflow: root, after: state.seq };
    return followOnFleet(store, followed, listeners);
  });
}

/** Keeps the answer for the run's driver, and gives the run's id. */
async function record(store: RunStore, given: Session, request: GateAnswerRequest): Promise<string> {
  const { reader = COMMAND_LINE } = given;
  const whatWaits = `\`${reader.ask({ to: "list gates" })}\` shows what waits, and what can be answered.`;
  const runId = await findRun(store, request.run);
  if (!runId) throw refusal(`there is no run ${request.run}`, { hint: whatWaits });
  const session = await withPeopleOfRun(store, runId, given);
  try {
    return await recordFor(store, runId, session, request, whatWaits);
  } catch (problem) {
    // A refusal quotes the question, its options and its gates: they leave without the secrets of the run.
    if (problem instanceof Refused) await reading(store, runId, (reading) => redactorFor(reading, session));
    throw problem;
  }
}

async function recordFor(
  store: RunStore,
  runId: string,
  session: Session,
  request: GateAnswerRequest,
  whatWaits: string,
): Promise<string> {
  const { reader = COMMAND_LINE } = session;
  const pending = await store.state.gates.pending(runId);
  const nameOf = namesInRuns(pending);
  const named = (gates: readonly OpenQuestion[]): string => gates.map(nameOf).join(", ");
  const fitting = called(request.gate, pending);
  const [gate] = fitting;
  if (!gate && pending.length === 0) throw await nothingWaits(store, runId, session, request);
  if (!gate)
    throw refusal(`the gate ${request.gate} does not wait for an answer. What waits: ${named(pending)}`, {
      runId,
      suggestions: nearest(request.gate ?? "", pending.map(nameOf)),
      hint: whatWaits,
    });
  if (fitting.length > 1)
    throw refusal(`several gates wait: ${named(fitting)}. Say which with ${reader.give({ what: "gate" })}.`, { runId });
  const late = tooLate(gate.question as Question, (session.extensions?.clock ?? clockOfStore(store)).now());
  if (late !== undefined)
    throw refusal(late, { runId, hint: `To go on without an answer: ${reader.ask({ to: "resume", run: runId })}` });
  const { question = gate.question as Question } = request;
  const answer = answerFor(question, session, request);
  if ("problem" in answer) throw refusal(answer.problem, { runId, suggestions: answer.suggestions, hint: whatWaits });
  await requireGoesOn(store, runId, session);
  const heard = store.fleet
    ? await store.fleet.answer(
        runId,
        gate.key,
        { answer, question },
        { request: furtherDrive(session, { inputs: {}, answers: true }, undefined) },
      )
    : await store.state.gates.answer(runId, gate.key, answer, question);
  if (heard === "changed")
    throw refusal(
      `the question of ${nameOf(gate)} has changed while it was answered. Read it again: \`${reader.ask({ to: "list gates" })}\``,
      { runId },
    );
  if (heard === "ok") return runId;
  const first = await firstAnswer(store, runId, (key) => key === gate.key, session);
  const why = first ? answeredText(first) : `the gate ${nameOf(gate)} does not wait for an answer any more`;
  throw refusal(first ? why : `${why}${await howCancelled(store, runId)}`, { runId });
}

/** Those that a name may mean: the more exact reading first, so that a key or a whole name is never taken for less. */
function called(name: string | undefined, pending: readonly OpenQuestion[]): readonly OpenQuestion[] {
  if (!name) return pending;
  const readings: ((key: string) => readonly string[])[] = [(key) => [key], (key) => [askerName(key)], askerNames];
  // As it was printed, and as it is.
  for (const namesOf of readings)
    for (const written of [typeable, (one: string) => one]) {
      const found = pending.filter(({ key }) => namesOf(key).some((one) => written(one) === name));
      if (found.length > 0) return found;
    }
  return [];
}

/** Refuses an answer that the run could not go on with. A process that drives it, or a worker, has its own file. */
async function requireGoesOn(store: RunStore, runId: string, session: Session): Promise<void> {
  const run = await store.summary(runId);
  if (store.fleet || (run?.status === "running" && !run.crashed)) return;
  await requireResumable(store, runId, session, { inputs: {} });
}

async function nothingWaits(
  store: RunStore,
  runId: string,
  session: Session,
  request: GateAnswerRequest,
): Promise<Refused> {
  const { reader = COMMAND_LINE } = session;
  const { gate } = request;
  const isPaused = (await store.summary(runId))?.status === "paused";
  const resume = reader.ask({ to: "resume", run: runId });
  const first = await firstAnswer(store, runId, isCalled(gate), session);
  // The process that answered first may have stopped before the run could go on.
  if (first) return refusal(answeredText(first), { runId, ...(isPaused ? { hint: `To go on: ${resume}` } : {}) });
  return refusal(
    isPaused
      ? `the question that the run ${runId} is paused at is not in the store any more, as when state.db was lost. ${resume} asks it again`
      : `no gate of the run ${runId} waits for an answer${await howCancelled(store, runId)}`,
    { runId },
  );
}

const howCancelled = (store: RunStore, runId: string): Promise<string> =>
  reading(store, runId, async (reader) => {
    const state = await stateOf(reader);
    return state.status === "cancelled" ? `: ${cancelledText(state)}` : "";
  });
