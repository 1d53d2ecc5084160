// What a worker does with a drive that the queue gave it: the run's first, a further one, or the rest of one that another
// worker left.
import { existsSync } from "node:fs";
import { secretNamesIn } from "../../../base/events/secrets-in-events.ts";
import type { RunState } from "../../../base/events/state/state.ts";
import { COMMAND_LINE } from "../../../base/results/index.ts";
import type { Result } from "../../../base/results/result.ts";
import { familySources } from "../../../language/loaded.ts";
import { settleRetried, withoutGivenUp } from "../../../services/dead-letters/view.ts";
import { materializedFolder } from "../../../services/drive/places.ts";
import { prepareRun } from "../../../services/drive/prepare.ts";
import { type History, readHistory } from "../../../services/drive/read-history.ts";
import { type RecordedRequest, recorded } from "../../../services/drive/recorded.ts";
import { type DriveRequest, type DriveSetup, scenarioOfRun } from "../../../services/drive/setup.ts";
import { driveRun, recordEnd, reportRun } from "../../../services/drive/to-its-end.ts";
import { withProjectPeople } from "../../../services/project/people-of-run.ts";
import { withOwnFunctions } from "../../../services/project/with-definition.ts";
import { redactorFor } from "../../../services/reading/read-run.ts";
import type { Reopening } from "../../../services/reading/reopened.ts";
import { reportingIn, resultOfRun } from "../../../services/reading/report.ts";
import type { DriveListeners } from "../../../services/request.ts";
import { filesOf, filesOfRun, withSnapshot } from "../../../services/session/files.ts";
import { homeOf } from "../../../services/session/home.ts";
import { joinSecrets, saveSecretsOf } from "../../../services/session/run-secrets.ts";
import type { Session } from "../../../services/session/session.ts";
import { validWorkflow } from "../../../services/workflows/valid-workflow.ts";
import type { RunLog } from "../../../storage/run-log.ts";
import type { RunStore } from "../../../storage/store.ts";
import {
  askedReopening,
  type FirstDrive,
  type FleetRequest,
  type PlacedRun,
  type Sources,
  sourcesThatCount,
} from "./fleet-request.ts";

export async function drivePlaced(
  store: RunStore,
  placed: PlacedRun,
  worker: Session,
  leaving: DriveRequest["leaving"],
  listeners: DriveListeners,
): Promise<Result> {
  const { log, request, isBegun } = placed;
  const before = await readHistory(log);
  const beforeEnd = settling(store, log.runId, request);
  if (isBegun && before.state.status !== "running") return onlyRecorded(store, log, before.state, worker, beforeEnd);
  const isFirst = before.state.drives === 0 && request.kind === "first";
  const { cwd, defaults = worker.project?.defaults, people, page = worker.page } = request;
  const reader = { ...(worker.reader ?? COMMAND_LINE), playsLiveSteps: true };
  // The process that placed the run decided whether its scenario may be played.
  const asked = sessionAt(cwd, { ...worker, page, reader, project: { ...worker.project, defaults } });
  const materialized = materializedFolder(homeOf(worker), log.runId);
  // Those that travelled with the run: its approvers were checked against them. Else those of its own project, and
  // where that is not on this machine, those of the worker.
  const standing = existsSync(log.meta.file) ? withProjectPeople(asked, log.meta.file) : asked;
  const session = withSnapshot(
    await withOwnFunctions(
      people ? { ...standing, project: { ...standing.project, people } } : standing,
      log.meta.file,
    ),
  );
  const pinned = await sourcesThatCount(placed, before.state);
  const here = { materialized, files: filesAsPinned(pinned, session) };
  const setup = isFirst
    ? await firstSetup(log, request, session, here, listeners)
    : await furtherSetup(store, placed, before, session, here, listeners);
  try {
    await log.takeUp();
    const sources = familySources(setup.workflow);
    // The process that placed the run has usually pinned them: what is there is not written again.
    if (!isFirst || !(sources.size === pinned.size && [...sources].every(([path, text]) => pinned.get(path) === text)))
      await log.pin(before.state.drives + 1, sources);
    const { skipGates, maxIterations, maxVisits } = request;
    const { from, force, skipWaits = false } = request.kind === "further" && !isBegun ? request : {};
    // Also for who goes on with it: what has run again since is recorded with its files as they are now.
    const changedFiles = request.kind === "further" && request.changedFiles === true;
    const rerun = { from, force, changedFiles };
    const driven = { leaving, skipGates, maxIterations, maxVisits, beforeEnd, rerun, skipWaits };
    return await reportRun(await driveRun(setup, driven, store, log, listeners));
  } finally {
    await setup.close();
  }
}

/** The process that asked for the retry of letters may be gone by now. */
function settling(store: RunStore, runId: string, request: FleetRequest): DriveRequest["beforeEnd"] {
  const { places } = askedReopening(request) ?? {};
  if (!places?.size) return undefined;
  return async (state, result) => {
    const retrying = await store.state.letters.list({ runId, status: "retrying" });
    const letters = retrying.filter(({ place }) => places.has(place));
    await settleRetried(store, letters, state, result);
  };
}

/** What the worker has of the run's files. */
type FilesHere = Required<Pick<RecordedRequest, "materialized" | "files">>;

async function firstSetup(
  log: RunLog,
  request: FirstDrive,
  session: Session,
  { materialized, files }: FilesHere,
  listeners: DriveListeners,
): Promise<DriveSetup> {
  const workflow = validWorkflow(request.file, session, {}, files);
  const scenario = await scenarioOfRun(log, request.scenario, session);
  const inputs = joinSecrets({ inputs: request.inputs, hiddenInputs: secretNamesIn(request) }, await log.secrets());
  const { file, strict, provider, durability, name, startedBy, firedBy, changedBy, evalId } = request;
  const fresh = {
    runId: log.runId,
    file,
    checked: workflow,
    scenario,
    strict,
    provider,
    durability,
    materialized,
    inputs: Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, { value }])),
    origin: { startedBy, firedBy, changedBy, name, evalId },
  };
  return prepareRun(session, fresh, listeners);
}

async function furtherSetup(
  store: RunStore,
  { log, request, isBegun, left }: PlacedRun,
  before: History,
  session: Session,
  filesHere: FilesHere,
  listeners: DriveListeners,
): Promise<DriveSetup> {
  await withoutGivenUp(before.state, store);
  const here = { ...filesHere, provider: request.provider };
  if (isBegun || request.kind === "first") {
    const reopen = await stillReopened(store, log.runId, request);
    return recorded(log, session, { ...here, inputs: {}, goesOn: left, reopen }, { before }, listeners);
  }
  const {
    by: person = session.person,
    inputs,
    file,
    from,
    force,
    changedFiles,
    answers,
    maxIterations,
    maxVisits,
  } = request;
  const rerun = { from, force, changedFiles };
  const asked = { ...here, inputs, file, answers, maxIterations, maxVisits, rerun, reopen: askedReopening(request) };
  const setup = await recorded(log, { ...session, person }, asked, { before }, listeners);
  await saveSecretsOf(setup, log);
  // Everybody is asked again, also when this drive ends before it comes to the question.
  if (request.force || request.from !== undefined) await store.state.gates.forget(log.runId);
  return setup;
}

/** Of letters that the drive before was to try again, those that it did not come to are tried by this one. */
async function stillReopened(store: RunStore, runId: string, request: FleetRequest): Promise<Reopening | undefined> {
  const reopen = askedReopening(request);
  if (!reopen) return undefined;
  const retrying = await store.state.letters.list({ runId, status: "retrying" });
  const left = new Set(retrying.map(({ place }) => place));
  return { ...reopen, done: new Set([...reopen.places].filter((place) => !left.has(place))) };
}

/** A worker that was lost had recorded the end, and not reported it. */
async function onlyRecorded(
  store: RunStore,
  log: RunLog,
  state: RunState,
  session: Session,
  beforeEnd: DriveRequest["beforeEnd"],
): Promise<Result> {
  try {
    const redactor = await redactorFor(log, session);
    const result = resultOfRun(state, { ...reportingIn(session), folder: log.folder, redactor });
    await beforeEnd?.(state, result);
    await recordEnd(store, log, { state, redactor }, result);
    return result;
  } finally {
    await log.release();
  }
}

/** The files of a drive as they travelled with the run: what a worker has under the same name does not count. */
export const filesAsPinned = (
  pinned: Sources,
  session: Pick<Session, "env" | "readsFrom">,
): ReturnType<typeof filesOfRun> => ({
  ...filesOfRun(pinned, session),
  read(file) {
    const text = pinned.get(file);
    return text === undefined ? filesOf(session).read(file) : Buffer.from(text);
  },
  gone: new Set(),
});

/** In the folder that a request came from, where this machine has it. */
export const sessionAt = (cwd: string, worker: Session): Session => (existsSync(cwd) ? { ...worker, cwd } : worker);
