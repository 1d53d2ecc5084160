// `segno cancel`: asks the process that drives a run to stop, or closes a run that no process drives.
import { remember } from "../../events/visits/recall.ts";
import type { RunStore, StoredRun } from "../../hosts/store.ts";
import { COMMAND_LINE, type Reader } from "../../results/index.ts";
import type { Result } from "../../results/result.ts";
import { system } from "../../steps/process/here.ts";
import { actingPerson } from "../access/acting-person.ts";
import { catchUp } from "../drive/catch-up.ts";
import { type Opening, openToDrive } from "../drive/open-to-drive.ts";
import { openPort } from "../drive/port.ts";
import { lastDefinition } from "../explain/definition.ts";
import { refusal, withRefusals } from "../refusals.ts";
import type { Session } from "../session/session.ts";
import { clockOfStore, namedRun, type RunNamed, reading, withStore } from "../session/store.ts";
import { callOff } from "../triggers/not-begun.ts";
import { redactorFor, stateOf } from "./read-run.ts";
import { resultOfRun, withOwnName } from "./report.ts";
import { requestStop, takeStopRequest } from "./stop-request.ts";

const PATIENCE_MS = 10_000;
const POLL_MS = 100;

export interface CancelRequest extends RunNamed, Pick<Opening, "watching" | "signal"> {
  readonly run: string;
}

export const cancelRun = (session: Session, request: CancelRequest): Promise<Result> =>
  withRefusals(session, () =>
    withStore(session, async (store) => {
      const calledOff = await callOff(store, request.run, actingPerson(session));
      if (calledOff) return calledOff;
      const runId = await namedRun(store, session, request);
      const stopped = await stopOnFleet(store, runId, request);
      if (stopped === "asked") return resultNow(store, runId, session);
      // It had ended, and was to go on: it does not now, and its result stays what it was.
      if (stopped === "taken out" && (await whyNotClosed(store, runId)) !== undefined)
        return { ...(await resultNow(store, runId, session)), success: true, exit_code: 0 };
      const summary = await store.summary(runId);
      if (summary?.status === "running" && !summary.crashed && summary.driver)
        await stopDriver(store, summary, summary.driver, session);
      else await close(store, runId, session, request);
      return resultNow(store, runId, session);
    }),
  );

const resultNow = (store: RunStore, runId: string, session: Session): Promise<Result> =>
  reading(store, runId, async (reader) => {
    const state = await stateOf(reader);
    // Its places in the file are those that `show` gives.
    const { root } = await lastDefinition(reader, state, session);
    const redactor = await redactorFor(reader, session);
    const context = { ...session, folder: reader.folder, redactor, ...(root ? { workflow: root } : {}) };
    return withOwnName(resultOfRun(state, context), reader.meta, session);
  });

/** A worker that drives the run is asked to stop it; one that waits in the queue is taken out, and closed like any other. */
async function stopOnFleet(
  { fleet }: RunStore,
  runId: string,
  { signal }: CancelRequest,
): Promise<"asked" | "taken out" | undefined> {
  if (!fleet) return undefined;
  const stopped = await fleet.stop(runId);
  if (stopped !== "asked") return stopped === "taken out" ? stopped : undefined;
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until && !signal?.aborted; ) {
    if ((await fleet.standing(runId))?.isEnded !== false) return "asked";
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw refusal(
    `the run ${runId} was not cancelled yet: its worker was asked to stop it ${PATIENCE_MS / 1000} s ago, and is still ending its steps, or is gone; then the next worker stops it`,
    { runId },
  );
}

async function stopDriver(
  store: RunStore,
  { runId, isInReach }: StoredRun,
  driver: NonNullable<StoredRun["driver"]>,
  { reader }: Session,
): Promise<void> {
  if (!isInReach)
    throw refusal(
      `the run ${runId} is driven by process ${driver.pid} on ${driver.host}, which cannot be seen from here: another machine, or another container. Cancel it there`,
      { runId, hint: orTakeOver(runId, reader) },
    );
  if (driver.pid === process.pid)
    throw refusal(`the run ${runId} is driven by this very process; stop it there`, { runId });
  const folder = await reading(store, runId, (reader) => reader.folder);
  requestStop(folder);
  system.interrupt(driver.pid);
  // The request stays: it is heard as soon as the process goes on.
  if (system.isStopped(driver.pid))
    throw refusal(
      `the run ${runId} was not cancelled yet: process ${driver.pid}, which drives it, is stopped (as by SIGSTOP or Ctrl-Z) and hears nothing. It cancels the run as soon as it goes on: kill -CONT ${driver.pid}`,
      { runId, hint: orTakeOver(runId, reader) },
    );
  for (
    const until = Date.now() + PATIENCE_MS;
    Date.now() < until;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  ) {
    const now = await store.summary(runId);
    if (now?.status !== "running" || now.crashed) {
      takeStopRequest(folder);
      return;
    }
  }
  throw refusal(
    `the run ${runId} was not cancelled yet: process ${driver.pid}, which drives it, was asked to stop ${PATIENCE_MS / 1000} s ago and is still ending its steps, or hangs`,
    { runId, hint: orTakeOver(runId, reader) },
  );
}

const orTakeOver = (runId: string, reader: Reader = COMMAND_LINE): string => {
  const takeOver = reader.ask({ to: "take over", run: runId });
  return takeOver === null ? "Its own user can end it." : `To go on with the run without that process: ${takeOver}`;
};

/** One more event, recorded and exported as a drive does it; the file need not even be valid. */
async function close(store: RunStore, runId: string, session: Session, request: CancelRequest): Promise<void> {
  const ended = await whyNotClosed(store, runId);
  if (ended) throw refusal(ended, { runId });
  const run = await openToDrive(store, runId, { ...request, reader: session.reader });
  try {
    const state = await stateOf(run);
    // What a crash kept from the exported files comes before what is added to them.
    await catchUp(run, session);
    const { port } = openPort({
      log: run,
      state,
      redactor: await redactorFor(run, session),
      workflow: run.meta.workflow,
      clock: clockOfStore(store),
      recall: remember([]),
    });
    await run.takeUp();
    port.note([], "run_cancelled", {
      reason: "cancelled",
      agent_name: state.failure?.node ?? null,
      by: actingPerson(session),
    });
    await port.end();
    const workflow = state.root.name || run.meta.workflow;
    await run.setStatus("cancelled", { workflow, exitCode: 130, resumable: true });
    await store.state.gates.withdraw(runId);
  } finally {
    await run.release();
  }
}

const whyNotClosed = (store: RunStore, runId: string): Promise<string | undefined> =>
  reading(store, runId, async (reader) => whyEnded(runId, (await stateOf(reader)).status));

/** There is nothing to stop, and the run's result stays what it was. */
function whyEnded(runId: string, status: string): string | undefined {
  if (status === "paused" || status === "running") return undefined;
  return status === "failed"
    ? `the run ${runId} has failed already; there is nothing to stop`
    : `the run ${runId} is ${status} already`;
}
