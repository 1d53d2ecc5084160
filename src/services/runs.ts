// Looking at runs: the list, one run's result, its events, pruning.
import { apply, initialState } from "../events/fold.ts";
import type { RunEvent } from "../events/registry.ts";
import type { RunState } from "../events/state.ts";
import type { RunReader } from "../hosts/embedded/run-reader.ts";
import type { Store, RunSummary as StoredRun } from "../hosts/embedded/store.ts";
import { createRedactor, type Redactor, secretsFromEnvironment } from "../redact/index.ts";
import { type Head, head, type Reader, type Result, redactEvent } from "../results/index.ts";
import { storeOf } from "./home.ts";
import { withoutGivenUp } from "./letters/given-up.ts";
import { noSuchRun, refused, storeProblem } from "./refusals.ts";
import { resultOfRun } from "./report.ts";
import type { Surroundings } from "./request.ts";
import { textsOf } from "./secret-inputs.ts";
import { shownPath } from "./shown-path.ts";

/** A run as lists show it. `crashed`: its process is gone and left no word. */
export interface RunSummary {
  readonly run_id: string;
  readonly workflow: string | null;
  readonly file: string | null;
  readonly status: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly duration_ms: number | null;
  readonly kind: string | null;
  readonly exit_code: number | null;
  readonly cost_usd: number | null;
  readonly resumable: boolean;
}

export interface RunsAnswer extends Head {
  readonly runs: readonly RunSummary[];
}

export interface RunsRequest extends Surroundings {
  readonly status?: string;
  readonly workflow?: string;
  readonly limit?: number;
}

export function listRuns(request: RunsRequest): RunsAnswer {
  const answer = withStore(request, (store) => {
    const { status, workflow, limit = 50 } = request;
    // The index still calls a run whose process is gone running; people look for it as crashed.
    const wanted = status === "crashed" ? "running" : status;
    const runs = store
      .runs({ ...(wanted ? { status: wanted as StoredRun["status"] } : {}), ...(workflow ? { workflow } : {}), limit })
      .map((run) => summaryOf(run, request.cwd));
    return { ...head(0), runs: status === undefined ? runs : runs.filter((run) => run.status === status) };
  });
  return "runs" in answer ? answer : { ...answer, runs: [] };
}

const summaryOf = (run: StoredRun, cwd: string): RunSummary => ({
  run_id: run.runId,
  workflow: run.workflow,
  file: shownPath(run.file, cwd),
  status: run.crashed ? "crashed" : run.status,
  started_at: run.started,
  ended_at: run.ended,
  duration_ms: run.durationMs,
  kind: run.failingKind,
  exit_code: run.exitCode,
  cost_usd: run.costUsd,
  resumable: run.resumable && (run.status !== "running" || run.crashed),
});

/** The result of a run as it stands. */
export function showRun(request: Surroundings & { readonly run: string }): Result {
  return withReader(request, (reader, store) =>
    resultOfRun(withoutGivenUp(stateOf(reader), store), {
      ...request,
      folder: reader.folder,
      redactor: redactorFor(reader, request),
      interrupted: store.summary(reader.runId)?.crashed ?? false,
    }),
  );
}

export interface EventsRequest extends Surroundings {
  readonly run: string;
  readonly after?: number;
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
  /** Told when a run is followed whose process is gone. */
  readonly left?: (runId: string) => void;
}

const POLL_MS = 200;

/** Redacted events of a run, from its journal; with `follow` until the run ends. */
export async function* runEvents(request: EventsRequest): AsyncIterable<RunEvent> {
  const store = storeOf(request);
  try {
    const runId = store.findRun(request.run);
    if (!runId) throw new UnknownRun(request.run, request.reader);
    const reader = store.readRun(runId);
    try {
      const redactor = redactorFor(reader, request);
      let after = request.after ?? 0;
      for (;;) {
        let ended = false;
        // Asked before the events are read: a process may have told its end and gone in between.
        const isLeft = request.follow === true && store.summary(runId)?.crashed === true;
        for (const event of reader.events(after)) {
          after = event.seq;
          ended = ENDINGS.has(event.type);
          yield redactEvent(event, redactor);
        }
        if (!request.follow || ended || request.signal?.aborted) return;
        // Its process is gone: nothing more will come, unless somebody resumes the run.
        if (isLeft) return request.left?.(runId);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    } finally {
      reader.close();
    }
  } finally {
    store.close();
  }
}

const ENDINGS: ReadonlySet<string> = new Set(["workflow_completed", "workflow_failed", "run_paused", "run_cancelled"]);

export class UnknownRun extends Error {
  constructor(
    readonly run: string,
    reader?: Reader,
  ) {
    super(noSuchRun(run, reader));
    this.name = "UnknownRun";
  }
}

export interface PruneAnswer extends Head {
  readonly pruned: number;
  readonly kept: number;
}

export function pruneRuns(request: Surroundings & { readonly keep?: number }): PruneAnswer {
  const answer = withStore(request, (store) => {
    const pruned = store.prune({ keep: request.keep ?? 200 }).length;
    return { ...head(0), pruned, kept: store.runs({}).length };
  });
  return "pruned" in answer ? answer : { ...answer, pruned: 0, kept: 0 };
}

export function stateOf(reader: RunReader): RunState {
  const state = initialState(reader.runId);
  for (const event of reader.events()) apply(state, event);
  return state;
}

/** Whatever is shown of a run later is redacted with its own secrets, not only with those of whoever looks. */
export const redactorFor = (reader: RunReader, { env }: Surroundings): Redactor =>
  createRedactor({ secrets: secretsFromEnvironment(env), shortSecrets: [...textsOf(reader.secrets())] });

export function withReader<Answer>(
  request: Surroundings & { readonly run: string },
  use: (reader: RunReader, store: Store) => Answer,
): Answer | Result {
  return withStore(request, (store) => {
    const runId = store.findRun(request.run);
    if (!runId) return refused(noSuchRun(request.run, request.reader));
    const reader = store.readRun(runId);
    try {
      return use(reader, store);
    } finally {
      reader.close();
    }
  });
}

export function withStore<Answer>(request: Surroundings, use: (store: Store) => Answer): Answer | Result {
  const store = storeOf(request);
  try {
    return use(store);
  } catch (problem) {
    return storeProblem(problem, undefined, request);
  } finally {
    store.close();
  }
}
