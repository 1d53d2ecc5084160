// Which run a resume goes on with (one that is named, the newest of a file, or of the working directory), and whether it can
// go on as it is asked to. What cannot is refused here.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { RunState } from "../../base/events/state/state.ts";
import { COMMAND_LINE, type Reader } from "../../base/results/index.ts";
import type { RunReader } from "../../storage/run-reader.ts";
import type { RunStore, StoredRun } from "../../storage/store.ts";
import { StoreError } from "../../storage/store-error.ts";
import { withoutGivenUp } from "../dead-letters/view.ts";
import type { RecordedRequest } from "../drive/recorded.ts";
import { hasEndedByItself, hasEndedWell, howToGetBack, lostPlaces } from "../reading/lost-items.ts";
import { stateOf } from "../reading/read-run.ts";
import { cancelledText } from "../reading/report.ts";
import { refusal, UnknownRun } from "../refusals.ts";
import type { Rerun, ResumeRequest } from "../request.ts";
import type { Session } from "../session/session.ts";
import { canBeResumed, findRun, isRunBelow, reading } from "../session/store.ts";

type Looking = Pick<Session, "cwd" | "reader"> & Pick<Rerun, "failedItems">;

export async function runToResume(
  store: RunStore,
  { cwd, reader }: Session,
  { target, rerun: { failedItems } = {} }: ResumeRequest,
): Promise<string> {
  const looking: Looking = { cwd, reader, failedItems };
  if (target === undefined) return newestHere(store, looking);
  if (target === "") throw refusal("no run was named. Name one, or nothing at all for the newest that can be resumed.");
  if (/[./\\]/.test(target) || /\.ya?ml$/.test(target) || existsSync(resolve(cwd, target)))
    return newestOf(store, await store.runs({ file: resolve(cwd, target) }), ` of ${target}`, looking);
  const runId = await findRun(store, target);
  if (!runId) throw new UnknownRun(target, reader);
  return runId;
}

async function newestHere(store: RunStore, looking: Looking): Promise<string> {
  const { cwd, reader = COMMAND_LINE, failedItems } = looking;
  const all = await store.runs();
  const here = all.filter((run) => isRunBelow(run, cwd));
  if (failedItems) return newestOf(store, here, "", looking);
  const elsewhere = all.find((run) => canBeResumed(run) && !isRunBelow(run, cwd));
  if (elsewhere && !here.some((run) => canBeResumed(run) || isDriven(run)))
    throw refusal(
      `no run of a file below ${cwd} can be resumed. The newest elsewhere is ${elsewhere.runId}, of ${elsewhere.file}; to go on with that one: ${reader.ask({ to: "resume", run: elsewhere.runId })}`,
    );
  return newestOf(store, here, "", looking);
}

async function newestOf(
  store: RunStore,
  runs: readonly StoredRun[],
  ofFile: string,
  { reader, failedItems }: Looking,
): Promise<string> {
  const lossy = failedItems ? await newestWithLosses(store, runs) : undefined;
  if (lossy !== undefined) return lossy;
  const resumable = runs.filter(canBeResumed);
  // One that was cut off before it began does not stand in the way of an older one.
  for (const { runId, crashed } of resumable)
    if (!crashed || (await reading(store, runId, async ({ lastSeq }) => (await lastSeq) > 0))) return runId;
  if (resumable[0]) return resumable[0].runId;
  const driven = runs.find(isDriven);
  if (driven) throw refusal(driverOf(driven), { runId: driven.runId });
  const [last] = runs;
  if (!last) throw refusal(`there is no run${ofFile} to resume`);
  const hint =
    last.status === "degraded" || last.status === "terminated" || last.status === "failed"
      ? await reading(store, last.runId, async (run) => howToGetBack(await stateOf(run), store, reader))
      : undefined;
  throw refusal(`no run${ofFile} can be resumed: the newest, ${last.runId}, is ${last.status}`, { hint });
}

/** The newest run that lost items; it may have ended well, and then no other resume would choose it. */
async function newestWithLosses(store: RunStore, runs: readonly StoredRun[]): Promise<string | undefined> {
  for (const run of runs) {
    if (isDriven(run) || run.status === "completed") continue;
    const places = reading(store, run.runId, async (reader) => lostPlaces(await stateOf(reader)));
    // One that cannot be read does not keep an older one from being found.
    const lost = await places.catch((problem: unknown) => {
      if (problem instanceof StoreError) return undefined;
      throw problem;
    });
    if (lost && lost.size > 0) return run.runId;
  }
  return undefined;
}

const isDriven = ({ status, crashed }: StoredRun): boolean => status === "running" && !crashed;

const driverOf = ({ runId, driver, started }: StoredRun): string =>
  `the run ${runId} is being driven by another process: pid ${driver?.pid} on ${driver?.host}, since ${started}`;

/** A resume, or a retry of dead letters: then the run may have ended, and only their places run again. */
export interface GoingOn extends ResumeRequest, Pick<RecordedRequest, "reopen" | "answers"> {}

export async function allowedRequest(
  store: RunStore,
  state: RunState,
  session: Session,
  request: GoingOn,
): Promise<GoingOn> {
  // Cancelled while its gate was answered: the answer to the cancel was that it has stopped.
  if (request.answers && state.status === "cancelled")
    throw refusal(`${cancelledText(state)}: it does not go on, and the answer is kept for when it is resumed`, {
      runId: state.runId,
      hint: `To go on with that answer: ${(session.reader ?? COMMAND_LINE).ask({ to: "resume", run: state.runId })}`,
    });
  await withoutGivenUp(state, store);
  const asked = request.rerun?.failedItems ? { ...request, reopen: lostItems(state, session, request) } : request;
  if (asked.reopen && hasEndedByItself(state)) return alone(state.runId, asked, asked.reopen);
  // Of one that ended well what is retried, or runs again from a step on, may still change the result.
  const changesResult = asked.reopen !== undefined || asked.rerun?.from !== undefined;
  const reason = changesResult && hasEndedWell(state) ? undefined : notResumable(state, session.reader);
  if (reason) throw refusal(reason, { runId: state.runId, hint: await howToGetBack(state, store, session.reader) });
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

function notResumable(state: RunState, reader: Reader = COMMAND_LINE): string | undefined {
  const { runId } = state;
  if (state.drives === 0)
    return `the run ${runId} was cut off before it could begin, and nothing of it was done. Start it again with: ${reader.ask({ to: "run" })}`;
  const how = howDone(state);
  return how === undefined ? undefined : `the run ${runId} ${how}; it cannot be resumed`;
}

/** How a run ended that has nothing left to run; nothing for one that can go on. */
export function howDone({ status, failure, termination }: RunState): string | undefined {
  if (status === "completed" || status === "degraded") return `is ${status}`;
  if (status === "terminated") return `was terminated by its own workflow (${termination?.reason})`;
  return status === "failed" && failure && !failure.resumable
    ? `was halted by its own workflow (${failure.message})`
    : undefined;
}

/** Whether a run that has ended well is to run again from a step on. Refused once its secrets are gone from its records. */
export async function startsAgain(reader: RunReader, state: RunState, { rerun }: GoingOn): Promise<boolean> {
  if (rerun?.from === undefined || !hasEndedWell(state)) return false;
  const { runId, status } = state;
  if (await reader.hasForgottenSecrets())
    throw refusal(
      `the run ${runId} is ${status}, and its secrets were removed with its end: what its steps gave is recorded without them, so no step can go on from there. Start the workflow anew`,
      { runId },
    );
  return true;
}

export function moreThanItsResult(session: Session, request: GoingOn): string | undefined {
  const { reader = COMMAND_LINE } = session;
  const { inputs, file, rerun: { from, force, changedFiles } = {} } = request;
  if (from !== undefined) return reader.give({ what: "option", name: "from", value: from });
  if (force) return reader.give({ what: "option", name: "force" });
  if (changedFiles) return reader.give({ what: "option", name: "changed-files" });
  if (Object.keys(inputs).length > 0) return `the input ${Object.keys(inputs)[0]}`;
  return file === undefined ? undefined : "another file";
}

export function requireNothingMore(runId: string, session: Session, request: GoingOn): void {
  const { from, failedItems } = request.rerun ?? {};
  const more = failedItems ? "running lost items" : moreThanItsResult(session, { ...request, rerun: { from } });
  if (more !== undefined)
    throw refusal(
      `the run ${runId} was cancelled before it began: it begins as it was asked to, and ${more} cannot change that. Resume it without, or start another run`,
      { runId },
    );
}
