// `segno resume`: goes on with a run where it was, with the file and the inputs as they are now. Of a run that is done,
// only the result is returned again. A refusal changes nothing, not even the index.
import type { RunState } from "../../events/state/state.ts";
import { SCENARIO_PINS } from "../../hosts/fleet.ts";
import type { RunLog } from "../../hosts/run-log.ts";
import type { RunStore } from "../../hosts/store.ts";
import { familySources } from "../../language/loaded.ts";
import { COMMAND_LINE, type Reader, type Result } from "../../results/index.ts";
import { sessionOfRun } from "../access/people-of-run.ts";
import { catchUp } from "../drive/catch-up.ts";
import { areKeyframesOff, isAsThen, startOf } from "../drive/keyframe.ts";
import { openToDrive, takenOverText } from "../drive/open-to-drive.ts";
import { type History, historyFromKeyframe, readHistory, stateFromKeyframe } from "../drive/read-history.ts";
import { type RecordedRequest, recorded } from "../drive/recorded.ts";
import type { DriveSetup } from "../drive/setup.ts";
import { driveRun, reportRun } from "../drive/to-its-end.ts";
import { requireGuardedOf } from "../gates/gate-protection.ts";
import { withoutGivenUp } from "../letters/settle.ts";
import { refusal, withRefusals } from "../refusals.ts";
import type { DriveListeners, ResumeRequest } from "../request.ts";
import { saveSecretsOf } from "../secrets/save-secrets.ts";
import type { Session } from "../session/session.ts";
import { type HeldRun, heldOpen, reading, withStore } from "../session/store.ts";
import { cancelledText } from "./cancelled-text.ts";
import { orDamaged } from "./damage.ts";
import { hasEndedByItself, howToGetBack, lostPlaces, resultOfRetry } from "./lost-items.ts";
import { putInIndex } from "./put-in-index.ts";
import { stateOf } from "./read-run.ts";
import { runToResume } from "./run-to-resume.ts";
import { resultNow } from "./runs.ts";
import { skippedWaits } from "./skip-waits.ts";

/** A resume, or a retry of dead letters: then the run may have ended, and only their places run again. */
interface GoingOn extends ResumeRequest, Pick<RecordedRequest, "reopen" | "answers"> {}

export const resumeRun = (session: Session, request: GoingOn, listeners: DriveListeners = {}): Promise<Result> =>
  withRefusals(session, () =>
    withStore(session, async (store) => {
      const runId = await runToResume(store, session, request);
      const held = await heldOpen(store, runId);
      try {
        if (request.staysBehindGates)
          await reading(store, runId, (reader) => requireGuardedOf(reader, store, session, { ...request, run: runId }));
        return await orDamaged(store, runId, async () => {
          const done =
            (await resultOfDone(store, runId, session, request, listeners)) ??
            (await skippedWaits(store, runId, session, request, listeners));
          return done ?? goOn(store, await amongPeopleOfRun(store, runId, session), request, listeners, held);
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
async function resultOfDone(
  store: RunStore,
  runId: string,
  session: Session,
  request: GoingOn,
  { isDone }: DriveListeners,
): Promise<Result | undefined> {
  if (request.reopen || request.rerun?.failedItems) return undefined;
  // A process that was killed may have recorded the end without updating the index: then only the journal has it.
  const known = await store.summary(runId);
  if (known?.resumable && known.status !== "running") return undefined;
  const result = await reading(store, runId, async (reader) => {
    const state = await stateFromKeyframe(reader);
    const how = howDone(state);
    if (how === undefined) return undefined;
    const asked = moreThanItsResult(session, request);
    if (asked)
      throw refusal(`the run ${runId} ${how}: there is nothing to resume, and ${asked} cannot change that`, { runId });
    const back = await howToGetBack(state, store, session.reader);
    isDone?.(
      `The run ${runId} ${how}. Nothing was run; this is its result again.${back === undefined ? "" : ` ${back}`}`,
    );
    return resultNow(reader, store, session);
  });
  if (result && (!known || known.crashed) && !store.fleet) await putInIndex(store, runId, session);
  return result;
}

function moreThanItsResult(session: Session, request: GoingOn): string | undefined {
  const { reader = COMMAND_LINE } = session;
  const { inputs, file, rerun: { from, force, changedFiles } = {} } = request;
  if (from !== undefined) return reader.give({ what: "option", name: "from", value: from });
  if (force) return reader.give({ what: "option", name: "force" });
  if (changedFiles) return reader.give({ what: "option", name: "changed-files" });
  if (Object.keys(inputs).length > 0) return `the input ${Object.keys(inputs)[0]}`;
  return file === undefined ? undefined : "another file";
}

function requireNothingMore(runId: string, session: Session, request: GoingOn): void {
  const { from, failedItems } = request.rerun ?? {};
  const more = failedItems ? "running lost items" : moreThanItsResult(session, { ...request, rerun: { from } });
  if (more !== undefined)
    throw refusal(
      `the run ${runId} was cancelled before it began: it begins as it was asked to, and ${more} cannot change that. Resume it without, or start another run`,
      { runId },
    );
}

/** How a run ended that has nothing left to run; nothing for one that can go on. */
function howDone({ status, failure, termination }: RunState): string | undefined {
  if (status === "completed" || status === "degraded") return `is ${status}`;
  if (status === "terminated") return `was terminated by its own workflow (${termination?.reason})`;
  return status === "failed" && failure && !failure.resumable
    ? `was halted by its own workflow (${failure.message})`
    : undefined;
}

async function goOn(
  store: RunStore,
  session: Session,
  request: GoingOn,
  listeners: DriveListeners,
  held: HeldRun,
): Promise<Result> {
  const { fleet } = store;
  const { runId } = held;
  const before = fleet && (await reading(store, runId, readHistory));
  if (fleet && before && (before.scenario === undefined || (await isPlayedByWorkers(store, runId)))) {
    const { placeFirstAgain, placeFurther, requireAtRest } = await import("../fleet/place-further.ts");
    await requireAtRest(fleet, runId);
    // Cancelled before a worker took it: the fleet has all that it needs to begin.
    if (before.state.status === "cancelled" && before.state.drives === 0) {
      requireNothingMore(runId, session, request);
      return placeFirstAgain(store, fleet, { runId, before, session, request }, listeners);
    }
    const asked = await allowed(store, before.state, session, request);
    const result = await placeFurther(store, fleet, { runId, before, session, request: asked }, listeners);
    if (!asked.reopen?.alone || result.status === "queued") return result;
    return resultOfRetry(result, await reading(store, runId, stateOf), asked.reopen.places);
  }
  let wasWatched = false;
  const watching = (text: string): void => {
    wasWatched = true;
    listeners.watching?.(text);
  };
  const run = await openToDrive(store, runId, {
    ...listeners,
    takeOver: request.takeOver,
    reader: session.reader,
    watching,
  });
  await held.letGo();
  let setup: DriveSetup;
  try {
    // The process that had it may have brought it to its end meanwhile.
    const done = wasWatched ? await resultOfDone(store, runId, session, request, listeners) : undefined;
    if (done) {
      await run.release();
      return done;
    }
    setup = await prepareAgain(store, run, session, request, listeners);
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
async function prepareAgain(
  store: RunStore,
  run: RunLog,
  session: Session,
  request: GoingOn,
  listeners: DriveListeners,
): Promise<DriveSetup> {
  const { runId } = run;
  const { setup, state, keyframe } = await setupOf(store, run, session, request, listeners);
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

interface ReadSetup {
  readonly setup: DriveSetup;
  readonly state: RunState;
  readonly keyframe?: Parameters<typeof catchUp>[2];
}

/** From the last keyframe, if all that it depends on is as it was; else from the whole journal. */
async function setupOf(
  store: RunStore,
  run: RunLog,
  session: Session,
  request: GoingOn,
  listeners: DriveListeners,
): Promise<ReadSetup> {
  const setupFrom = async (before: History, isJudged: boolean): Promise<DriveSetup> =>
    recorded(run, session, await allowed(store, before.state, session, request), { before, isJudged }, listeners);
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
  return { setup: await setupFrom(all, false), state: all.state };
}

function mayBeginAtKeyframe({ env }: Session, { reopen, rerun = {} }: GoingOn): boolean {
  const { from, force, changedFiles, failedItems } = rerun;
  return !areKeyframesOff(env) && !(from !== undefined || force || changedFiles || failedItems || reopen);
}

/** As the run began: an edited copy may stand elsewhere. */
export const amongPeopleOfRun = (store: RunStore, runId: string, session: Session): Promise<Session> =>
  reading(store, runId, ({ meta }) => sessionOfRun(session, meta.file));

/** Refuses what a resume would refuse, and changes nothing: for callers that record something before the resume. */
export const requireResumable = (store: RunStore, runId: string, session: Session, request: GoingOn): Promise<void> =>
  reading(store, runId, async (reader) => {
    const before = await readHistory(reader);
    const setup = await recorded(reader, session, await allowed(store, before.state, session, request), { before });
    await setup.close();
  });

/** What is asked, if the run can go on that way. */
async function allowed(store: RunStore, state: RunState, session: Session, request: GoingOn): Promise<GoingOn> {
  // Cancelled while its gate was answered: who cancelled it was told that it has stopped.
  if (request.answers && state.status === "cancelled")
    throw refusal(`${cancelledText(state)}: it does not go on, and the answer is kept for when it is resumed`, {
      runId: state.runId,
      hint: `To go on with that answer: ${(session.reader ?? COMMAND_LINE).ask({ to: "resume", run: state.runId })}`,
    });
  await withoutGivenUp(state, store);
  const asked = request.rerun?.failedItems ? { ...request, reopen: lostItems(state, session, request) } : request;
  if (asked.reopen && hasEndedByItself(state)) return alone(state.runId, asked, asked.reopen);
  const reason = asked.reopen && hasEndedWell(state) ? undefined : notResumable(state, session.reader);
  if (reason) throw refusal(reason, { runId: state.runId });
  return asked;
}

/** Its items run again, and nothing else can: what ended the run on purpose stands. */
function alone(runId: string, request: GoingOn, reopen: NonNullable<GoingOn["reopen"]>): GoingOn {
  const [input] = Object.keys(request.inputs);
  if (input !== undefined)
    throw refusal(
      `the run ${runId} ended by itself: only its lost items can run again, with the inputs that it had. Leave out ${input}`,
      { runId },
    );
  return { ...request, reopen: { ...reopen, alone: true } };
}

function lostItems(state: RunState, session: Session, request: GoingOn): NonNullable<GoingOn["reopen"]> {
  const { runId } = state;
  const { reader = COMMAND_LINE } = session;
  const { from, force, changedFiles } = request.rerun ?? {};
  const other = force ? "force" : from !== undefined ? "from" : changedFiles ? "changed-files" : undefined;
  if (other !== undefined) {
    const option = (name: string): string => reader.give({ what: "option", name });
    throw refusal(
      `${option("failed-items")} runs only the items that were lost, ${option(other)} more than that: give one of the two`,
      { runId },
    );
  }
  const places = lostPlaces(state);
  if (places.size === 0) throw refusal(`the run ${runId} lost no items; it is ${state.status}`, { runId });
  return { places, others: new Set() };
}

const withWarnings = (setup: DriveSetup, messages: readonly string[]): DriveSetup => ({
  ...setup,
  begin(note) {
    setup.begin(note);
    for (const message of messages) note([], "warning", { node: null, message });
  },
});

const endLost = (events: number): string =>
  `the last ${events === 1 ? "event" : `${events} events`} of the run did not survive, as after a power cut: what was recorded there is done again. With the durability \`power\` each step is on disk before the next one begins`;

/** A group lost members, or a parent did without a child: what is retried may still change the result. */
const hasEndedWell = ({ status }: RunState): boolean => status === "degraded" || status === "completed";

function notResumable(state: RunState, reader: Reader = COMMAND_LINE): string | undefined {
  const { runId } = state;
  if (state.drives === 0)
    return `the run ${runId} was cut off before it could begin, and nothing of it was done. Start it again with: ${reader.ask({ to: "run" })}`;
  const how = howDone(state);
  return how === undefined ? undefined : `the run ${runId} ${how}; it cannot be resumed`;
}
