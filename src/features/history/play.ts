// Plays a recorded run through a workflow file: the real engine, in memory, with the past for a world.

import { tmpdir } from "node:os";
import { join } from "node:path";
import { keptIn } from "../../base/errors/mapping.ts";
import type { RunEvent } from "../../base/events/registry.ts";
import { initialState } from "../../base/events/state/fold.ts";
import { remember } from "../../base/events/visits/recall.ts";
import type { Result } from "../../base/results/result.ts";
import type { PolicyResult } from "../../engine/guard/resilience/policy.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { workflowStarted } from "../../services/drive/first-events.ts";
import { prepareInputs } from "../../services/drive/given-inputs.ts";
import type { DriveSetup } from "../../services/drive/setup.ts";
import { resultOfRun } from "../../services/reading/report.ts";
import { environmentForOthers } from "../../services/session/own-secrets.ts";
import type { Session } from "../../services/session/session.ts";
import { VirtualClock } from "../../storage/clock.ts";
import { driveInMemory, memoryRun } from "../scenarios/memory-run.ts";
import { questionsWithout } from "../scenarios/question.ts";
import type { RecordedReply } from "../scenarios/recorded-answers.ts";
import type { AskedPolicy, GivenVerdict } from "./recorded-policies.ts";
import { type Answers, type AskedQuestion, type NotRecorded, recordedRun } from "./recorded-world.ts";
import type { Recording } from "./recording.ts";

export interface Play {
  readonly result: Result;
  readonly events: readonly RunEvent[];
  readonly asked: readonly AskedQuestion[];
  /** What policies had said that look at more than the run. */
  readonly verdicts: readonly GivenVerdict[];
  /** What people had said to what it asked them. */
  readonly replies: readonly RecordedReply[];
  /** It asked what was never recorded, and was ended there. */
  readonly unanswered: NotRecorded | undefined;
}

/** Throws `Refused` where the file does not take the inputs of the run. */
export async function playRun(
  recording: Recording,
  workflow: LoadedWorkflow,
  answers: Answers,
  session: Session,
): Promise<Play> {
  const { runId, state: before, inputs, startedAt } = recording;
  // Nothing else that was asked for a run that is driven counts in a play.
  const { cwd, env, extensions, project } = session;
  const playing = { cwd, env, extensions, project: { people: project?.people } };
  const fields = workflow.definition.workflow.input;
  const taken = Object.keys(inputs).filter((name) => !fields || Object.hasOwn(fields, name));
  const given = Object.fromEntries(taken.map((name) => [name, { value: inputs[name] }]));
  const prepared = prepareInputs(workflow, given, session);
  const startedBy = before.startedBy ?? undefined;
  const past = recordedRun({
    answers,
    startedBy,
    env: environmentOf(session),
    questions: questionsWithout(prepared.split.secrets),
  });
  const run = memoryRun(runId, NO_FOLDER);
  const setup: DriveSetup = {
    ...prepared,
    session: playing,
    workflow,
    durability: "process",
    provider: before.provider ?? undefined,
    origin: { startedBy, firedBy: before.firedBy ?? undefined },
    clock: new VirtualClock(startedAt),
    world: past.world,
    state: initialState(runId),
    recall: remember([]),
    scripted: past.driving,
    begin: (note) =>
      note(
        [],
        "workflow_started",
        workflowStarted(workflow, prepared.split, { durability: "process", cwd, origin: { startedBy } }),
      ),
    close: async () => {},
  };
  try {
    await driveInMemory(setup, run, "history");
    const result = resultOfRun(setup.state, { ...setup, cwd, folder: "" });
    const { asked, verdicts, replies, unanswered } = past;
    return { result, events: run.events, asked, verdicts, replies, unanswered };
  } finally {
    run.close();
  }
}

/** Everything is answered from a journal: no step writes a file. */
const NO_FOLDER = join(tmpdir(), "segno-nothing-is-here");

const environments = new WeakMap<object, Record<string, string>>();

/** What scripts would inherit here; the same for every play, so that it tells no two questions apart. */
function environmentOf(session: Session): Record<string, string> {
  return keptIn(environments, session, () => {
    const given = Object.entries(environmentForOthers(session));
    return Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  });
}

/** Everything is answered by its place in the run, whatever it asks: for the file that the run was driven with. */
export const byPlace = (recording: Recording): Answers => ({
  attempt: ({ key, attempt }) =>
    recording.attempts.get(key)?.find(({ number }) => number === attempt) ?? recording.stopped.get(key),
  verdict: (asked) => recordedVerdict(recording, asked),
  reply: ({ key }) => recording.replies.get(key),
  isOpen: ({ key }) => recording.open.has(key),
});

/** Where two files name the same policy, the caller's verdict stands first, and it denies for both. */
function recordedVerdict({ verdicts }: Recording, { key, number, policy }: AskedPolicy): PolicyResult | undefined {
  const said = verdicts.get(key)?.find((one) => one.number === number)?.verdicts ?? [];
  const own = said.filter((one) => (one.module ?? one.policy ?? one.policyName) === policy);
  return own.find((one) => !one.allowed) ?? own[0];
}

/** Who asks the same gets the same: first the step in its place, then one of its name, then any. Each answer once. */
export function byQuestion(recording: Recording, { asked, verdicts, replies: given }: Play): Answers {
  const left = new Map<string, AskedQuestion[]>();
  for (const one of asked) keptIn(left, one.question, () => []).push(one);
  const replies = new Map(given.map((reply) => [reply.key, reply]));
  return {
    attempt({ key, attempt, node }, question) {
      const list = left.get(question) ?? [];
      const found =
        list.find((one) => one.key === key && one.number === attempt) ??
        list.find((one) => one.recorded.node === node) ??
        list[0];
      if (found) list.splice(list.indexOf(found), 1);
      return found?.recorded;
    },
    verdict({ key, number, question }) {
      const same = verdicts.filter((one) => one.question === question);
      const found = same.find((one) => one.key === key && one.number === number);
      return (found ?? same.findLast((one) => one.key === key) ?? same[0])?.verdict;
    },
    reply({ key, node }) {
      const found = replies.get(key) ?? [...replies.values()].find((one) => one.node === node);
      if (found) replies.delete(found.key);
      return found;
    },
    isOpen: ({ key }) => recording.open.has(key),
  };
}

/** What was recorded must come out as it did: otherwise the play says nothing about the run. */
export function whyNotPlayed({ state }: Recording, { result, unanswered }: Play): string | undefined {
  const isOver = !["running", "cancelled"].includes(state.status);
  if (!isOver || (!unanswered && result.status === state.status)) return undefined;
  const asks =
    unanswered?.policy === undefined
      ? "what was not recorded"
      : `a policy (${unanswered.policy}) whose verdict was not recorded,`;
  return `its journal cannot be played: it ended as ${state.status}, and played it ${unanswered ? `asks ${asks} at ${unanswered.node}` : `ends as ${result.status}`}`;
}
