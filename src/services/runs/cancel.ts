// `segno cancel`: asks the process that drives a run to stop, or closes a run that no process drives.
import { setTimeout as pause } from "node:timers/promises";
import type { RunState } from "../../base/events/state/state.ts";
import { remember } from "../../base/events/visits/recall.ts";
import { COMMAND_LINE, type Reader } from "../../base/results/index.ts";
import type { Result } from "../../base/results/result.ts";
import { system } from "../../steps/process/here.ts";
import type { RunLog } from "../../storage/run-log.ts";
import type { RunStore, StoredRun } from "../../storage/store.ts";
import { LeaseHeld, LeaseLost } from "../../storage/store-error.ts";
import { catchUp, type Opening, openToDrive } from "../drive/open-to-drive.ts";
import { openPort } from "../drive/port.ts";
import { lastDefinition } from "../reading/definition.ts";
import { redactorFor, stateOf } from "../reading/read-run.ts";
import { resultOfRun, withOwnName } from "../reading/report.ts";
import { factsOfRun } from "../reading/run-facts.ts";
import { requestStop, takeStopRequest } from "../reading/run-notes.ts";
import { type Refused, refusal, withRefusals } from "../refusals.ts";
import { callOff } from "../session/not-begun.ts";
import { actingPerson } from "../session/people.ts";
import type { Session } from "../session/session.ts";
import { clockOfStore, namedRun, type RunNamed, reading, withStore } from "../session/store.ts";

const PATIENCE_MS = 10_000;
const POLL_MS = 100;

const secondsSince = (time: number): number => Math.round((Date.now() - time) / 1000);

export interface CancelRequest extends RunNamed, Pick<Opening, "watching" | "signal"> {
  readonly run: string;
}

interface Cancelling {
  readonly store: RunStore;
  readonly runId: string;
  readonly session: Session;
  readonly request: CancelRequest;
}

export const cancelRun = (given: Session, request: CancelRequest): Promise<Result> =>
  withRefusals(given, (session) =>
    withStore(session, async (store) => {
      const calledOff = await callOff(store, request.run, actingPerson(session));
      if (calledOff) return calledOff;
      const runId = await namedRun(store, session, request);
      const how = await untilEnded({ store, runId, session, request });
      const result = await resultOnceCancelled(store, runId, session);
      // It had ended, and was to go on: it does not now, and its result stays what it was.
      return how === "taken out" ? { ...result, success: true, exit_code: 0 } : result;
    }),
  );

/**
 * Another process may take the run or let go of it at any moment, as when its gate is answered: so it is looked at again
 * until it has ended. What has ended otherwise before the first look is refused.
 */
async function untilEnded(cancelling: Cancelling): Promise<"taken out" | undefined> {
  const { store, runId, session, request } = cancelling;
  for (const until = Date.now() + PATIENCE_MS; ; await pause(POLL_MS)) {
    const stopped = await stopOnce(cancelling);
    if (stopped !== undefined && (await hasEnded(store, runId))) return stopped === "taken out" ? stopped : undefined;
    try {
      return await close(cancelling);
    } catch (problem) {
      if (!(problem instanceof LeaseHeld || problem instanceof LeaseLost)) throw problem;
      const isOver = Date.now() >= until || request.signal?.aborted;
      if (problem instanceof LeaseHeld && (isOver || isOutOfSight(problem, store))) throw notClosed(problem, session);
      if (isOver) throw problem;
    }
  }
}

/** On a fleet every process is: there its worker is asked instead. */
const isOutOfSight = ({ watchMs }: LeaseHeld, { fleet }: RunStore): boolean => watchMs !== undefined && !fleet;

const notClosed = ({ runId, pid, host, since }: LeaseHeld, { reader }: Session): Refused => {
  const why = `process ${pid} on ${host} has it since ${since}, and was not asked to stop`;
  return refusal(`the run ${runId} was not cancelled: ${why}`, { runId, hint: orTakeOver(runId, reader) });
};

/** Nothing when there was no drive of the run to stop. One that was asked may have paused the run before it heard of that. */
async function stopOnce(cancelling: Cancelling): Promise<"asked" | "taken out" | undefined> {
  const { store, runId } = cancelling;
  const stopped = await stopOnFleet(cancelling);
  if (stopped !== undefined) return stopped;
  const summary = await store.summary(runId);
  if (summary?.status !== "running" || summary.crashed || !summary.driver) return undefined;
  await stopDriver(cancelling, summary, summary.driver);
  return "asked";
}

/** By the journal alone: a drive that was placed meanwhile makes it `queued` for `show`, until its worker finds it cancelled. */
const resultOnceCancelled = (store: RunStore, runId: string, session: Session): Promise<Result> =>
  reading(store, runId, async (reader) => {
    const state = await stateOf(reader);
    // Its places in the file are those that `show` gives.
    const { root } = await lastDefinition(reader, state, session);
    const redactor = await redactorFor(reader, session);
    const context = { ...session, folder: reader.folder, redactor, workflow: root };
    return withOwnName(resultOfRun(state, context), reader.meta, session);
  });

/** A worker that drives the run is asked to stop it; one that waits in the queue is taken out, and closed like any other. */
async function stopOnFleet({
  store: { fleet },
  runId,
  request: { signal },
}: Cancelling): Promise<"asked" | "taken out" | undefined> {
  if (!fleet) return undefined;
  const asked = Date.now();
  let drive = (await fleet.standing(runId))?.drive;
  let stopped = await fleet.stop(runId);
  if (stopped === "not underway") return undefined;
  for (; Date.now() < asked + PATIENCE_MS && !signal?.aborted; await pause(POLL_MS)) {
    if (stopped !== "asked") return stopped === "taken out" ? stopped : "asked";
    const standing = await fleet.standing(runId);
    if (standing?.isEnded !== false) return "asked";
    // The next drive was placed meanwhile, as by an answer, and nothing was asked of that one.
    if (standing.drive !== drive) stopped = await fleet.stop(runId);
    drive = standing.drive;
  }
  throw refusal(
    `the run ${runId} was not cancelled yet: its worker was asked to stop it ${secondsSince(asked)} s ago, and is still ending its steps, or is gone; then the next worker stops it`,
    { runId },
  );
}

async function stopDriver(
  { store, runId, session, request: { signal } }: Cancelling,
  { isInReach }: StoredRun,
  driver: NonNullable<StoredRun["driver"]>,
): Promise<void> {
  const about = { runId, hint: orTakeOver(runId, session.reader) };
  if (!isInReach)
    throw refusal(
      `the run ${runId} is driven by process ${driver.pid} on ${driver.host}, which cannot be seen from here: another machine, or another container. Cancel it there`,
      about,
    );
  if (driver.pid === process.pid)
    throw refusal(`the run ${runId} is driven by this very process; stop it there`, { runId });
  const folder = await reading(store, runId, (reader) => reader.folder);
  requestStop(folder);
  system.interrupt(driver.pid);
  const asked = Date.now();
  for (; Date.now() < asked + PATIENCE_MS && !signal?.aborted; await pause(POLL_MS)) {
    const now = await store.summary(runId);
    if (now?.status !== "running" || now.crashed) {
      takeStopRequest(folder);
      return;
    }
    // The request stays: it is heard as soon as the process goes on.
    if (system.isStopped(driver.pid))
      throw refusal(
        `the run ${runId} was not cancelled yet: process ${driver.pid}, which drives it, is stopped (as by SIGSTOP or Ctrl-Z) and hears nothing. It cancels the run as soon as it goes on: kill -CONT ${driver.pid}`,
        about,
      );
  }
  throw refusal(
    `the run ${runId} was not cancelled yet: process ${driver.pid}, which drives it, was asked to stop ${secondsSince(asked)} s ago and is still ending its steps, or hangs`,
    about,
  );
}

const orTakeOver = (runId: string, reader: Reader = COMMAND_LINE): string => {
  const takeOver = reader.ask({ to: "take over", run: runId });
  return takeOver === null ? "Its own user can end it." : `To go on with the run without that process: ${takeOver}`;
};

/** One more event, recorded and exported as a drive does it; the file need not even be valid. */
async function close(cancelling: Cancelling): Promise<undefined> {
  const { store, runId, session } = cancelling;
  if (isCancelled(runId, await statusOf(store, runId))) return undefined;
  const run = await opened(cancelling);
  try {
    const state = await stateOf(run);
    // Another process may have had it since the first look.
    if (isCancelled(runId, state.status)) return undefined;
    // What a crash kept from the exported files comes before what is added to them.
    await catchUp(run, session);
    const redactor = await redactorFor(run, session);
    const { port } = openPort({
      log: run,
      state,
      redactor,
      workflow: run.meta.workflow,
      clock: clockOfStore(store),
      recall: remember([]),
    });
    await run.takeUp();
    const agent_name = state.failure?.node ?? null;
    port.note([], "run_cancelled", { reason: "cancelled", agent_name, by: actingPerson(session) });
    await port.end();
    const workflow = redactor.text(state.root.name) || run.meta.workflow;
    await run.setStatus("cancelled", { workflow, exitCode: 130, resumable: true, facts: factsOfRun(state, redactor) });
    await store.state.gates.withdraw(runId);
  } finally {
    await run.release();
  }
}

/** A worker that has just taken a drive of it needs no watching: it can be asked to stop. */
async function opened({ store, runId, session, request }: Cancelling): Promise<RunLog> {
  const watched = () => openToDrive(store, runId, { ...request, reader: session.reader });
  if (!store.fleet) return watched();
  try {
    return await store.openRun(runId);
  } catch (problem) {
    if (!(problem instanceof LeaseHeld) || (await store.fleet.standing(runId))?.isEnded === false) throw problem;
    return watched();
  }
}

const statusOf = (store: RunStore, runId: string): Promise<RunState["status"]> =>
  reading(store, runId, async (reader) => (await stateOf(reader)).status);

const hasEnded = async (store: RunStore, runId: string): Promise<boolean> =>
  !["paused", "running"].includes(await statusOf(store, runId));

/** A run that was cancelled already needs nothing. One with another end is refused: its result stays what it was. */
function isCancelled(runId: string, status: RunState["status"]): boolean {
  if (status === "paused" || status === "running") return false;
  if (status === "cancelled") return true;
  throw refusal(
    status === "failed"
      ? `the run ${runId} has failed already; there is nothing to stop`
      : `the run ${runId} is ${status} already`,
    { runId },
  );
}
