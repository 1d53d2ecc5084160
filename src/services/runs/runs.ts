// Looking at runs: the list, one run's result, its events, and these with the time that passed between them.
import type { RunEvent } from "../../base/events/registry.ts";
import type { RunState } from "../../base/events/state/state.ts";
import type { GatesNow } from "../../base/results/entry.ts";
import { EventExit, head, type ListHead, type Result } from "../../base/results/index.ts";
import type { RunSummary } from "../../base/results/result.ts";
import type { RunReader } from "../../storage/run-reader.ts";
import type { RunStore, StoredRun } from "../../storage/store.ts";
import { withoutGivenUp } from "../dead-letters/view.ts";
import { lastDefinition } from "../reading/definition.ts";
import { inQueue, refusedDrive, resultAtRest, whyTheyWait } from "../reading/queued-run.ts";
import { newEvents, readToShow, stateToShow } from "../reading/read-run.ts";
import { resultOfRun } from "../reading/report.ts";
import { orRefused, withRefusals } from "../refusals.ts";
import { damaged, wholeness } from "../session/damage.ts";
import { shownPath } from "../session/files.ts";
import type { Session } from "../session/session.ts";
import {
  canBeResumed,
  clockOfStore,
  incompleteOf,
  namedRun,
  nowOf,
  type RunNamed,
  storeFor,
  withReader,
  withStore,
} from "../session/store.ts";

export { UnknownRun } from "../refusals.ts";

export interface RunsAnswer extends ListHead {
  /** Newest first. */
  readonly runs: readonly RunSummary[];
}

export interface RunsRequest {
  readonly status?: string;
  readonly workflow?: string;
  /** Inputs as texts, by name: runs that were given all of them. */
  readonly inputs?: Readonly<Record<string, string>>;
  readonly limit?: number;
}

export const listRuns = (session: Session, request: RunsRequest): Promise<RunsAnswer> =>
  orRefused(session, { runs: [] }, () =>
    withStore(session, async (store) => {
      const { status, workflow, inputs, limit = 50 } = request;
      // The index still calls a run whose process is gone running; people look for it as crashed.
      const wanted = (status === "crashed" ? "running" : status) as StoredRun["status"] | undefined;
      // How the last drive ended is what the index of a fleet has of a run whose next one is placed.
      const isOfIndex = wanted !== "queued" && wanted !== undefined;
      const kept = await store.runs({
        status: isOfIndex ? wanted : undefined,
        workflow: workflow || undefined,
        inputs,
        limit: wanted === "queued" ? undefined : limit,
      });
      const found = wanted === "queued" ? kept.filter((run) => run.status === "queued").slice(0, limit) : kept;
      const whyItWaits = await whyTheyWait(store, found);
      const runs = found.map((run) => ({ ...summaryOf(run, session), waits_because: whyItWaits(run)?.short }));
      const listed = status === undefined ? runs : runs.filter((run) => run.status === status);
      return { ...head(0), runs: listed, ...incompleteOf(store) };
    }),
  );

export const summaryOf = (run: StoredRun, { cwd }: Session): RunSummary => ({
  run_id: run.runId,
  name: run.name,
  cell: run.cell,
  workflow: run.workflow,
  file: shownPath(run.file, cwd),
  status: run.crashed ? "crashed" : run.status,
  started_at: run.started,
  ended_at: run.ended,
  duration_ms: run.durationMs,
  kind: run.failingKind,
  exit_code: run.exitCode,
  cost_usd: run.costUsd,
  resumable: canBeResumed(run),
});

export const showRun = (session: Session, request: RunNamed): Promise<Result> =>
  withRefusals(session, (session) =>
    withReader(session, request, (reader, store) => resultNow(reader, store, session)),
  );

export async function resultNow(reader: RunReader, store: RunStore, session: Session): Promise<Result> {
  const { state: recorded, redactor } = await stateToShow(reader, session);
  const state = await withoutGivenUp(recorded, store);
  const { root } = await lastDefinition(reader, state, session);
  const stored = await store.summary(reader.runId);
  const refused = state.status === "running" ? await refusedDrive(store, reader.runId) : undefined;
  const isDriven = stored?.status === "running" && !stored.crashed && !stored.waits && !refused;
  const { folder, meta } = reader;
  const found = resultOfRun(state, {
    ...session,
    folder,
    redactor,
    workflow: root,
    interrupted: stored?.crashed === true || refused !== undefined,
    now: isDriven ? nowOf(store) : undefined,
    gatesNow: await gatesNow(store, state, session),
  });
  return resultAtRest(found, { state, meta, waiting: await inQueue(store, stored), refused }, session);
}

async function gatesNow(store: RunStore, { runId, gates }: RunState, { extensions }: Session): Promise<GatesNow> {
  const { now } = extensions?.clock ?? clockOfStore(store);
  const answered = gates.size === 0 ? [] : await store.state.gates.answered(runId, [...gates.keys()]);
  return { answered: new Set(answered), now: now() };
}

export interface EventsRequest extends RunNamed {
  readonly after?: number;
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
  /** A damaged event refuses all of them, and not only those after it. */
  readonly allOrNone?: boolean;
  /** Called when a run is followed whose process is gone. */
  readonly left?: (runId: string) => void;
}

const POLL_MS = 200;

/** Redacted events of a run, from its journal; with `follow` until the run ends. Throws `UnknownRun`. */
export async function* runEvents(session: Session, request: EventsRequest): AsyncIterable<RunEvent> {
  const store = await storeFor(session);
  try {
    const runId = await namedRun(store, session, request);
    const reader = await store.readRun(runId);
    try {
      const isWhole = await wholeness();
      let checked = 0;
      const check = (event: RunEvent): void => {
        if (event.seq > checked && !isWhole(event)) throw damaged(reader, event);
      };
      const redactor = await readToShow(reader, session, (event) => {
        if (!request.allOrNone) return;
        check(event);
        checked = event.seq;
      });
      const exit = new EventExit(redactor);
      const { after = 0 } = request;
      // Read from the first on, since what was printed before may be the beginning of a secret.
      let read = 0;
      for (;;) {
        let ended = false;
        // Asked before the events are read: a process may have recorded its end and gone in between.
        const isLeft = (await store.summary(runId))?.crashed === true;
        for await (const event of newEvents(reader, read, redactor)) {
          read = event.seq;
          check(event);
          ended = ENDINGS.has(event.type);
          const shown = exit.pass(event);
          if (event.seq > after) yield shown;
        }
        // Of a script that still prints, what may be the beginning of a secret is left for who asks again; of one that was
        // cut off it comes with the event that resumes the run.
        if (!request.follow || ended || request.signal?.aborted) return;
        // Its process is gone: nothing more will come, unless the run is resumed.
        if (isLeft) return request.left?.(runId);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    } finally {
      await reader.close();
    }
  } finally {
    await store.close();
  }
}

const ENDINGS: ReadonlySet<string> = new Set(["workflow_completed", "workflow_failed", "run_paused", "run_cancelled"]);

export interface Beat {
  readonly event: RunEvent;
  /** Milliseconds of the run between the event before and this one. */
  readonly after_ms: number;
  /** Milliseconds that are waited before it is shown. */
  readonly wait_ms: number;
  /** A pause that is not waited out. */
  readonly passed_over?: { readonly what: "between drives" | "without an event"; readonly ms: number };
}

/** No longer than this is waited for one event; what is longer is said in words. */
const LONGEST_WAIT_MS = 5000;
const BETWEEN_DRIVES_MS = 800;

/** @example for await (const { event, wait_ms } of beatsOf(runEvents(session, { run }), 10)) await sleep(wait_ms); */
export async function* beatsOf(events: AsyncIterable<RunEvent>, speed: number): AsyncIterable<Beat> {
  let before: number | undefined;
  for await (const event of events) {
    const at = Date.parse(event.ts);
    // A clock that was set back makes no negative wait.
    const after_ms = before === undefined ? 0 : Math.max(0, at - before);
    before = at;
    yield { event, after_ms, ...pacing(event, after_ms, speed) };
  }
}

function pacing({ type }: RunEvent, after_ms: number, speed: number): Pick<Beat, "wait_ms" | "passed_over"> {
  const isNewDrive = type === "run_resumed";
  const wait_ms = after_ms / speed;
  if (!isNewDrive && wait_ms <= LONGEST_WAIT_MS) return { wait_ms };
  const what = isNewDrive ? "between drives" : "without an event";
  return { wait_ms: BETWEEN_DRIVES_MS, passed_over: { what, ms: after_ms } };
}
