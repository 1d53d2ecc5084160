// Follows a run that a fleet drives: shows its events, writes its files on this machine, and gives its result when the
// drive has ended, as if it had been driven here.
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { RunEvent } from "../../../base/events/registry.ts";
import { apply, initialState } from "../../../base/events/state/fold.ts";
import type { RunState } from "../../../base/events/state/state.ts";
import type { Redactor } from "../../../base/redact/index.ts";
import { COMMAND_LINE, crashResult, type Result } from "../../../base/results/index.ts";
import type { LoadedWorkflow } from "../../../language/loaded.ts";
import { fillingIn } from "../../../services/drive/open-to-drive.ts";
import { inQueue, resultInQueue, whyNoWorkerTakesIt } from "../../../services/reading/queued-run.ts";
import { newEvents } from "../../../services/reading/read-run.ts";
import { reportingIn, resultOfRun } from "../../../services/reading/report.ts";
import { Refused } from "../../../services/refusals.ts";
import type { DriveListeners } from "../../../services/request.ts";
import type { Session } from "../../../services/session/session.ts";
import { reading } from "../../../services/session/store.ts";
import type { Fleet, FleetStanding } from "../../../storage/fleet.ts";
import type { RunStore } from "../../../storage/store.ts";
import { isUnreadable, StoreError } from "../../../storage/store-error.ts";

interface Followed {
  readonly session: Session;
  readonly fleet: Fleet;
  readonly runId: string;
  readonly redactor: Redactor;
  readonly workflow?: LoadedWorkflow;
  /** Events up to this number were there before, and are not shown again. */
  readonly after: number;
}

const POLL_MS = 50;
const WORKER_PATIENCE_MS = 5000;
const LOOK_AGAIN_MS = 1000;
/** A cancel takes the drive out of the queue first and records the run's end a moment later, if its process gets to it. */
const CLOSING_MS = 5000;

/** A placed request stays placed, also when its worker's key is not known here: a second try would do it twice. */
export async function orCannotBeFollowed<Value>(
  store: RunStore,
  runId: string,
  follow: () => Promise<Value>,
): Promise<Value> {
  try {
    return await follow();
  } catch (problem) {
    if (!isUnreadable(problem)) throw problem;
    const { status = "queued" } = (await store.summary(runId)) ?? {};
    const goesOn = status === "queued" || status === "running" ? "goes on" : `is ${status}`;
    const message = `What was asked is placed and the run ${runId} ${goesOn}, but it cannot be followed from here. ${problem.message}`;
    const sealed = new StoreError("sealed", message, problem.path, problem);
    const { errors, ...result } = crashResult(sealed, { runId }, sealed.name);
    throw new Refused({ ...result, status, errors: errors.map((entry) => ({ ...entry, retryable: false })) });
  }
}

export const followOnFleet = (store: RunStore, followed: Followed, listeners: DriveListeners): Promise<Result> =>
  orCannotBeFollowed(store, followed.runId, () => followReadable(store, followed, listeners));

function followReadable(store: RunStore, followed: Followed, listeners: DriveListeners): Promise<Result> {
  return reading(store, followed.runId, async (reader) => {
    const { session, fleet, runId, redactor, workflow, after } = followed;
    const { on, signal } = listeners;
    listeners.following?.(runId);
    const files = fleet.filesOf(runId);
    const state = initialState(runId);
    try {
      const filling = fillingIn(files, {
        folder: files.folder,
        exported: files.exported(await reader.lastSeq).lastSeq,
        redactor,
        workflow: reader.meta.workflow,
        on: on && ((event) => (event.seq > after ? on(event) : undefined)),
      });
      const look = watchForWorkers(fleet, runId, listeners);
      let endedAt: number | undefined;
      for (;;) {
        // Asked before the events are read: what it says has ended is whole then.
        const standing = await fleet.standing(runId);
        for await (const event of newEvents(reader, state.seq, redactor)) {
          apply(state, event);
          filling.write(event);
        }
        endedAt = standing?.isEnded ? (endedAt ?? performance.now()) : undefined;
        if (!standing || (endedAt !== undefined && !isBeingClosed(standing, endedAt))) {
          if (filling.failure) note(filling.failure, state, files.folder, filling.write);
          return (standing?.refused as Result | undefined) || reported();
        }
        if (signal?.aborted) return await left();
        if (endedAt === undefined) await look(standing);
        await pause(POLL_MS, undefined, { signal }).catch(() => {});
      }
    } finally {
      files.close();
    }

    /** Its drive has ended, and the journal does not have that end. */
    function isBeingClosed({ refused }: FleetStanding, endedAt: number): boolean {
      return state.status === "running" && !refused && performance.now() < endedAt + CLOSING_MS;
    }

    function reported(): Result {
      return resultOfRun(state, { ...reportingIn(session), folder: files.folder, redactor, workflow });
    }

    async function left(): Promise<Result> {
      const waiting = await inQueue(store, await store.summary(runId));
      const result = waiting ? resultInQueue(reported(), waiting, reader.meta, session) : reported();
      const cancel = (session.reader ?? COMMAND_LINE).ask({ to: "cancel", run: runId });
      return {
        ...result,
        success: false,
        exit_code: 130,
        error: `stopped following ${runId}; the run goes on${cancel === null ? "" : `. To stop it: ${cancel}`}`,
      };
    }
  });
}

/** The files are of this machine, and so is what went wrong with them: the journal of the fleet does not have it. */
function note(
  { reason }: { readonly reason: string },
  state: RunState,
  folder: string,
  write: (event: RunEvent) => void,
): void {
  const event: RunEvent = {
    seq: state.seq + 1,
    ts: state.lastAt ?? new Date().toISOString(),
    run_id: state.runId,
    path: [],
    type: "errors_jsonl_write_failed",
    data: { reason, path: join(folder, "errors.jsonl") },
  };
  apply(state, event);
  write(event);
}

/** Says once, after some seconds, that no worker can take the run, and why not. */
function watchForWorkers(
  fleet: Fleet,
  runId: string,
  { said }: DriveListeners,
): (standing: FleetStanding) => Promise<void> {
  let isSaid = said === undefined;
  let lookAt = performance.now() + WORKER_PATIENCE_MS;
  return async (standing) => {
    if (isSaid || standing.isDriven || performance.now() < lookAt) return;
    lookAt = performance.now() + LOOK_AGAIN_MS;
    // One that waits for its time needs no worker until then.
    if (standing.wakesAt !== null) return;
    const [workers, left] = await Promise.all([fleet.workers(), fleet.leftBy([runId])]);
    const why = whyNoWorkerTakesIt({ sealedWith: fleet.sealedWith, leftBy: left.get(runId) ?? [] }, workers);
    isSaid = why !== undefined;
    if (why) said?.(why.sentence);
  };
}
