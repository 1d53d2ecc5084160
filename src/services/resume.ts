// `segno resume`: goes on with a run where it was, with the file and the inputs as they are now.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { RunState } from "../events/state.ts";
import type { RunLog } from "../hosts/run-log.ts";
import type { RunStore, StoredRun } from "../hosts/store.ts";
import { familySources } from "../language/loaded.ts";
import { COMMAND_LINE, type Reader, type Result } from "../results/index.ts";
import { answering } from "./answering.ts";
import { orDamaged } from "./damage.ts";
import { catchUp } from "./drive/catch-up.ts";
import { type RecordedRequest, recorded } from "./drive/recorded.ts";
import type { DriveSetup } from "./drive/setup.ts";
import { soFar } from "./drive/so-far.ts";
import { driveToItsEnd } from "./drive/to-its-end.ts";
import { withoutGivenUp } from "./letters/given-up.ts";
import { openToDrive, takenOverText } from "./open-to-drive.ts";
import { refusal, UnknownRun } from "./refusals.ts";
import type { ResumeRequest } from "./request.ts";
import { withStore } from "./store.ts";

/** A resume, or a retry of dead letters: then the run may have ended, and only their places run again. */
interface GoingOn extends ResumeRequest, RecordedRequest {}

export const resumeRun = (request: GoingOn): Promise<Result> =>
  answering(request, () =>
    withStore(request, async (store) => {
      const runId = await runToResume(store, request);
      return orDamaged(store, runId, () => goOn(store, runId, request));
    }),
  );

/** By run, by file (its newest that can be resumed), by nothing (the newest of all). */
async function runToResume(store: RunStore, { target, cwd, reader }: ResumeRequest): Promise<string> {
  if (target === "") throw refusal("no run was named. Name one, or nothing at all for the newest that can be resumed.");
  const file = target !== undefined && isFile(target, cwd) ? resolve(cwd, target) : undefined;
  if (target !== undefined && file === undefined) {
    const runId = await store.findRun(target);
    if (!runId) throw new UnknownRun(target, reader);
    return runId;
  }
  const filter = file === undefined ? {} : { file };
  const newest = await store.newestRun({ ...filter, resumable: true });
  if (newest) return newest.runId;
  const driven = (await store.runs(filter)).find((run) => run.status === "running" && !run.crashed);
  if (driven) throw refusal(driverOf(driven), { runId: driven.runId });
  const last = await store.newestRun(filter);
  const ofFile = file === undefined ? "" : ` of ${target}`;
  throw refusal(
    last
      ? `no run${ofFile} can be resumed: the newest, ${last.runId}, is ${last.status}`
      : `there is no run${ofFile} to resume`,
  );
}

const isFile = (target: string, cwd: string): boolean =>
  /[./\\]/.test(target) || /\.ya?ml$/.test(target) || existsSync(resolve(cwd, target));

const driverOf = ({ runId, driver, started }: StoredRun): string =>
  `the run ${runId} is being driven by another process: pid ${driver?.pid} on ${driver?.host}, since ${started}`;

async function goOn(store: RunStore, runId: string, request: GoingOn): Promise<Result> {
  const run = await openToDrive(store, runId, request);
  const before = await soFar(run);
  const { state } = before;
  let setup: DriveSetup;
  try {
    const lost = await catchUp(run, request);
    await withoutGivenUp(state, store);
    const reason = request.reopen && hasEndedWell(state) ? undefined : notResumable(state, request.reader);
    if (reason) throw refusal(reason, { runId });
    setup = withWarnings(await recorded(run, request, { before }), [
      ...(lost > 0 ? [endLost(lost)] : []),
      ...(request.takeOver && run.takenOver ? [takenOverText(run.takenOver)] : []),
    ]);
    await run.pin(state.drives + 1, familySources(setup.workflow));
    if (Object.keys(setup.split.secrets).length > 0) await run.saveSecrets(setup.split.secrets);
    // Everything runs again, so everybody is asked again.
    if (request.force) await store.state.gates.forget(runId);
  } catch (problem) {
    await giveBack(run, state);
    throw problem;
  }
  try {
    return await driveToItsEnd(setup, request, store, run);
  } finally {
    await setup.close();
  }
}

/** Nothing was driven: the index says again what it said before. */
async function giveBack(run: RunLog, state: RunState): Promise<void> {
  try {
    await run.setStatus(state.status, {
      resumable: notResumable(state) === undefined,
      failingKind: state.failure?.error?.kind ?? null,
    });
  } finally {
    await run.release();
  }
}

const withWarnings = (setup: DriveSetup, messages: readonly string[]): DriveSetup => ({
  ...setup,
  begin(note) {
    setup.begin(note);
    for (const message of messages) note([], "warning", { node: null, message });
  },
});

const endLost = (events: number): string =>
  `the last ${events === 1 ? "event" : `${events} events`} of the run did not survive, as after a power cut: what was recorded there is done again. With --durability power each step is on disk before the next one begins`;

/** A group lost members, or a parent did without a child: what is retried may still change the result. */
const hasEndedWell = ({ status }: RunState): boolean => status === "degraded" || status === "completed";

function notResumable(state: RunState, reader: Reader = COMMAND_LINE): string | undefined {
  const id = state.runId;
  if (state.drives === 0)
    return `the run ${id} was cut off before it could begin, and nothing of it was done. Start it again with: ${reader.ask({ to: "run" })}`;
  if (state.status === "completed" || state.status === "degraded")
    return `the run ${id} is ${state.status}: there is nothing to resume`;
  if (state.status === "terminated")
    return `the run ${id} was terminated by its own workflow (${state.termination?.reason}); it cannot be resumed`;
  if (state.status === "failed" && state.failure && !state.failure.resumable)
    return state.termination
      ? `the run ${id} was terminated by its own workflow (${state.termination.reason}); it cannot be resumed`
      : `the run ${id} was halted by its own workflow (${state.failure.message}); it cannot be resumed`;
  return undefined;
}
