// Answers of past runs for what an eval does not let happen: those of the run that a row was made of, by place; else whatever
// any of the newest runs of the workflow was answered to the same question.
import type { RunStore } from "../../hosts/store.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { pastRuns } from "../history/past-runs.ts";
import { byPlace, playRun } from "../history/play.ts";
import { recordingToKeep } from "../history/record.ts";
import { type Recording, recordingOf } from "../history/recording.ts";
import { listAndAnswer, repliesOf, scenarioOf, type WrittenScenario } from "../history/scenario-of-run.ts";
import { redactorFor } from "../runs/read-run.ts";
import type { Session } from "../session/session.ts";
import { reading } from "../session/store.ts";

/** So many of the newest runs are looked at. */
const RUNS = 50;

/** Without secrets: what is made of it is kept in files. */
export const shownRecording = (store: RunStore, runId: string, session: Session): Promise<Recording> =>
  reading(store, runId, async (reader) =>
    recordingToKeep(await recordingOf(reader, session), await redactorFor(reader, session)),
  );

/** The scenario of one run, its agents' answers included. */
export async function answersOfRun(recording: Recording, session: Session): Promise<WrittenScenario> {
  const { workflow } = recording;
  if (!workflow) return {};
  const played = await playRun(recording, workflow, byPlace(recording), session);
  const {
    workflow: _,
    started_by: _startedBy,
    strict: _strict,
    ...answers
  } = scenarioOf(recording, played, {
    ...{ file: workflow.file, withTimes: false },
  });
  return answers;
}

/** Of each gate what was answered last. */
const olderReplies = (newer: WrittenScenario, older: WrittenScenario): WrittenScenario => ({
  ...{ ...older, ...newer },
  ...Object.fromEntries(
    (["gates", "questions"] as const).flatMap((name) =>
      older[name] && newer[name] ? [[name, { ...(older[name] as object), ...(newer[name] as object) }]] : [],
    ),
  ),
});

/** By question, the newest first: a fixture for all rows. */
export async function answersToQuestions(
  store: RunStore,
  { file }: LoadedWorkflow,
  session: Session,
): Promise<WrittenScenario> {
  const lists: Record<string, WrittenScenario[]> = {};
  const seen = new Set<string>();
  let replies: WrittenScenario = {};
  for (const { runId, status } of await pastRuns(store, { cwd: session.cwd, file, limit: RUNS })) {
    if (status === "running") continue;
    const recording = await shownRecording(store, runId, session).catch(() => undefined);
    if (!recording?.workflow || recording.isRehearsal) continue;
    const played = await playRun(recording, recording.workflow, byPlace(recording), session).catch(() => undefined);
    // What waits for an answer has none to give.
    if (status !== "paused") replies = olderReplies(replies, repliesOf(recording, false));
    for (const { question, recorded } of played?.asked ?? []) {
      const key = `${recorded.node} ${question}`;
      if (recorded.type === "agent" || seen.has(key)) continue;
      seen.add(key);
      const [list, answer] = listAndAnswer(recorded);
      lists[list] = [...(lists[list] ?? []), { step: recorded.node, question, ...answer }];
    }
  }
  return { ...lists, ...replies };
}
