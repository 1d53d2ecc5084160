// `segno resume`: goes on with a run where it was, with the file and the inputs as they are now. Of a run that is done,
// only the result is returned again. A refusal changes nothing, not even the index.

import type { NodeState, RunState } from "../../base/events/state/state.ts";
import type { Result } from "../../base/results/index.ts";
import { familySources } from "../../language/loaded.ts";
import { SCENARIO_PINS } from "../../storage/fleet.ts";
import type { RunLog } from "../../storage/run-log.ts";
import type { RunStore } from "../../storage/store.ts";
import { LeaseHeld } from "../../storage/store-error.ts";
import { areKeyframesOff, isAsThen, startOf } from "../drive/keyframe.ts";
import { catchUp, openToDrive, takenOverText } from "../drive/open-to-drive.ts";
import { type History, historyFromKeyframe, readHistory, stateFromKeyframe } from "../drive/read-history.ts";
import { recorded } from "../drive/recorded.ts";
import type { DriveSetup } from "../drive/setup.ts";
import { driveRun, reportRun } from "../drive/to-its-end.ts";
import { requireGuardedOf } from "../explain/gate-protection.ts";
import { sessionOfRun } from "../project/people-of-run.ts";
import { howToGetBack, resultOfRetry } from "../reading/lost-items.ts";
import { stateOf } from "../reading/read-run.ts";
import { recordedEnd } from "../reading/report.ts";
import { requestSkip } from "../reading/run-notes.ts";
import { refusal, withRefusals } from "../refusals.ts";
import type { DriveListeners } from "../request.ts";
import { nodesOf } from "../resilience/limits/list-limits.ts";
import { orDamaged } from "../session/damage.ts";
import { withSnapshot } from "../session/files.ts";
import { saveSecretsOf } from "../session/run-secrets.ts";
import type { Session } from "../session/session.ts";
import { clockOfStore, type HeldRun, heldOpen, reading, withStore } from "../session/store.ts";
import {
  allowedRequest,
  type GoingOn,
  howDone,
  moreThanItsResult,
  requireNothingMore,
  runToResume,
  startsAgain,
} from "./resumable.ts";
import { resultNow } from "./runs.ts";

interface Resuming {
  readonly store: RunStore;
  readonly runId: string;
  readonly session: Session;
  readonly request: GoingOn;
  readonly listeners: DriveListeners;
}

export const resumeRun = (given: Session, request: GoingOn, listeners: DriveListeners = {}): Promise<Result> =>
  withRefusals(given, (own) =>
    withStore(own, async (store) => {
      const session = withSnapshot(own);
      const runId = await runToResume(store, session, request);
      const resuming = { store, runId, session, request, listeners };
      const held = await heldOpen(store, runId);
      try {
        if (request.staysBehindGates)
          await reading(store, runId, (reader) => requireGuardedOf(reader, store, session, { ...request, run: runId }));
        return await orDamaged(store, runId, async () => {
          const done = (await resultOfDone(resuming)) ?? (await skippedWaits(resuming));
          return done ?? goOn({ ...resuming, session: await withPeopleOfRun(store, runId, session) }, held);
        });
      } finally {
        await held.letGo();
      }
    }),
  );

/**
 * Of a run that is done: its result once more, so that scripts may resume runs blindly. Read without the lease. One that
 * no list shows, or that is shown as crashed, is put in the index.
 */
async function resultOfDone({ store, runId, session, request, listeners }: Resuming): Promise<Result | undefined> {
  if (request.reopen || request.rerun?.failedItems) return undefined;
  // A process that was killed may have recorded the end without updating the index: then only the journal has it.
  const known = await store.summary(runId);
  if (known?.resumable && known.status !== "running") return undefined;
  const result = await reading(store, runId, async (reader) => {
    const state = await stateFromKeyframe(reader);
    const how = howDone(state);
    if (how === undefined || (await startsAgain(reader, state, request))) return undefined;
    const asked = moreThanItsResult(session, request);
    if (asked)
      throw refusal(`the run ${runId} ${how}: there is nothing to resume, and ${asked} cannot change that`, { runId });
    const back = await howToGetBack(state, store, session.reader);
    const again = `The run ${runId} ${how}. Nothing was run; this is its result again.`;
    listeners.isDone?.(back === undefined ? again : `${again} ${back}`);
    return resultNow(reader, store, session);
  });
  if (result && (!known || known.crashed) && !store.fleet) await putInIndex(store, runId, session);
  return result;
}

async function goOn(resuming: Resuming, held: HeldRun): Promise<Result> {
  const { store, runId, session, request, listeners } = resuming;
  const { fleet } = store;
  const before = fleet && (await reading(store, runId, readHistory));
  if (fleet && before && (before.scenario === undefined || (await isPlayedByWorkers(store, runId)))) {
    const { placeFirstAgain, placeFurther, requireAtRest } = await import("../../features/fleet/work/place.ts");
    await requireAtRest(fleet, runId);
    // Cancelled before a worker took it: the fleet has all that it needs to begin.
    if (before.state.status === "cancelled" && before.state.drives === 0) {
      requireNothingMore(runId, session, request);
      return placeFirstAgain(store, fleet, { runId, before, session, request }, listeners);
    }
    const asked = await allowedRequest(store, before.state, session, request);
    const result = await placeFurther(store, fleet, { runId, before, session, request: asked }, listeners);
    if (!asked.reopen?.alone || result.status === "queued") return result;
    return resultOfRetry(result, await reading(store, runId, stateOf), asked.reopen.places);
  }
  let wasWatched = false;
  const watching = (text: string): void => {
    wasWatched = true;
    listeners.watching?.(text);
  };
  const { takeOver } = request;
  const run = await openToDrive(store, runId, { ...listeners, takeOver, reader: session.reader, watching });
  await held.letGo();
  let setup: DriveSetup;
  try {
    // The process that had it may have brought it to its end meanwhile.
    const done = wasWatched ? await resultOfDone(resuming) : undefined;
    if (done) {
      await run.release();
      return done;
    }
    setup = await prepareAgain(resuming, run);
  } catch (problem) {
    await run.release();
    throw problem;
  }
  try {
    const result = await reportRun(await driveRun(setup, request, store, run, listeners));
    return setup.lostItems ? resultOfRetry(result, setup.state, setup.lostItems) : result;
  } finally {
    await setup.close();
  }
}

const isPlayedByWorkers = (store: RunStore, runId: string): Promise<boolean> =>
  reading(store, runId, async (reader) => (await reader.pinned(SCENARIO_PINS)).size > 0);

/** Everything that can be refused is refused before the first thing is written. */
async function prepareAgain(resuming: Resuming, run: RunLog): Promise<DriveSetup> {
  const { store, runId, session, request } = resuming;
  const { setup, state, keyframe } = await setupOf(resuming, run);
  // Before the files are caught up with: what an earlier drive recorded is written there with its secrets known.
  await saveSecretsOf(setup, run);
  const lost = await catchUp(run, session, keyframe);
  // Where only lost items run, the run stays in the index, and in its own records, as it ended.
  if (!setup.lostItems) {
    await run.takeUp();
    await run.pin(state.drives + 1, familySources(setup.workflow));
  }
  // Everybody is asked again, also when this drive ends before it comes to the question. What was answered before the step
  // that it starts from is in the journal.
  if (request.rerun?.force || request.rerun?.from !== undefined) await store.state.gates.forget(runId);
  return withWarnings(setup, [
    ...(lost > 0 ? [endLost(lost)] : []),
    ...(request.takeOver && run.takenOver ? [takenOverText(run.takenOver)] : []),
  ]);
}

/** From the last keyframe, if all that it depends on is as it was; else from the whole journal. */
async function setupOf({ store, session, request, listeners }: Resuming, run: RunLog) {
  const setupFrom = async (before: History, isJudged: boolean): Promise<DriveSetup> => {
    const asked = await allowedRequest(store, before.state, session, request);
    return recorded(run, session, asked, { before, isJudged }, listeners);
  };
  const last = await (mayBeginAtKeyframe(session, request) ? historyFromKeyframe(run) : readHistory(run));
  const { state, keyframe } = last;
  if (keyframe) {
    // Rules had nothing against the file when the run began, and depend on nothing that the keyframe does not depend on.
    // What is wrong now is said below.
    const setup = await setupFrom(last, true).catch(() => undefined);
    if (setup?.keyframes && (await isAsThen(keyframe, setup, request, store))) {
      const { redactor, inherited, keyframes } = setup;
      const start = startOf(keyframe);
      const { openErrors, writtenErrors, seq } = keyframe;
      const written = { openErrors, writtenErrors, seq, redactor };
      return { setup: { ...setup, inherited, keyframes: { ...keyframes, start } }, state, keyframe: written };
    }
    await setup?.close();
  }
  const all = keyframe ? await readHistory(run) : last;
  return { setup: await setupFrom(all, false), state: all.state, keyframe: undefined };
}

function mayBeginAtKeyframe({ env }: Session, { reopen, rerun = {} }: GoingOn): boolean {
  const { from, force, changedFiles, failedItems } = rerun;
  return !areKeyframesOff(env) && !(from !== undefined || force || changedFiles || failedItems || reopen);
}

/** As the run began: an edited copy may stand elsewhere. */
export const withPeopleOfRun = (store: RunStore, runId: string, session: Session): Promise<Session> =>
  reading(store, runId, ({ meta }) => sessionOfRun(session, meta.file));

/** Refuses what a resume would refuse, and changes nothing: for callers that record something before the resume. */
export const requireResumable = (store: RunStore, runId: string, session: Session, request: GoingOn): Promise<void> =>
  reading(store, runId, async (reader) => {
    const before = await readHistory(reader);
    const asked = await allowedRequest(store, before.state, session, request);
    const setup = await recorded(reader, session, asked, { before });
    await setup.close();
  });

const withWarnings = (setup: DriveSetup, messages: readonly string[]): DriveSetup => ({
  ...setup,
  begin(note) {
    setup.begin(note);
    for (const message of messages) note([], "warning", { node: null, message });
  },
});

const endLost = (events: number): string =>
  `the last ${events === 1 ? "event" : `${events} events`} of the run did not survive, as after a power cut: what was recorded there is done again. With the durability \`power\` each step is on disk before the next one begins`;

/** The result as it stands when a wait of a driven run was ended; nothing when there is none to end. */
async function skippedWaits({ store, runId, session, request, listeners }: Resuming): Promise<Result | undefined> {
  const { status, crashed, driver, isInReach } = (await store.summary(runId)) ?? {};
  if (!request.skipWaits || store.fleet || status !== "running" || crashed || !driver || !isInReach) return undefined;
  return reading(store, runId, async (reader) => {
    const now = clockOfStore(store).now();
    const state = await stateOf(reader);
    const waits = [...nodesOf(state.root)].filter((node) => isWaiting(state, node, now));
    if (waits.length === 0) return undefined;
    requestSkip(reader.folder);
    const names = waits.map(({ name }) => name).join(", ");
    listeners.isDone?.(`Process ${driver.pid}, which drives the run ${runId}, goes on now with ${names}.`);
    // The run is not over, but what was asked for is done.
    return { ...(await resultNow(reader, store, session)), success: true, exit_code: 0 };
  });
}

/** For a retry or a reset, or as a step of `type: wait`. */
const isWaiting = ({ root }: RunState, { type, status, drive, retry }: NodeState, now: number): boolean =>
  Date.parse(retry?.until ?? "") > now || (type === "wait" && status === "running" && drive === root.drive);

/**
 * Adds a run that is done to the index, where its process was killed, or the machine lost power, before its row was
 * written: lists show what is indexed. One that goes on is put in by its driver.
 */
async function putInIndex(store: RunStore, runId: string, session: Session): Promise<void> {
  const known = await store.summary(runId);
  if (known && !known.crashed) return;
  const run = await openToDrive(store, runId, {}).catch((problem: unknown) => {
    if (problem instanceof LeaseHeld) return undefined;
    throw problem;
  });
  if (!run) return;
  try {
    const { status, ended, exitCode, durationMs, ...end } = await recordedEnd(run, session);
    const { workflow, failingKind, costUsd, resumable, facts } = end;
    await catchUp(run, session);
    await run.takeUp();
    await run.setStatus(status, {
      workflow,
      failingKind,
      costUsd,
      resumable,
      facts,
      ended: ended === null ? undefined : Date.parse(ended),
      exitCode: exitCode ?? undefined,
      durationMs: durationMs ?? undefined,
    });
  } finally {
    await run.release();
  }
}
