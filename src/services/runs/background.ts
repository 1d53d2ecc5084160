// Runs that a server drives while it answers other requests. A run goes on when its client stops waiting. It ends by
// itself, is stopped, or the server closes: then it can be resumed, or other servers go on with it.
import { setTimeout as pause } from "node:timers/promises";
import type { Awaitable } from "../../base/awaitable.ts";
import type { Result } from "../../base/results/result.ts";
import { DriveLeft } from "../../storage/idle-release.ts";
import { isOfId } from "../../storage/run-index.ts";
import { runFolderIn, StoppedBy, takeStopRequest } from "../reading/run-notes.ts";
import type { DriveListeners, Listener } from "../request.ts";

/** How long a run that is beginning may take to its first event, and how long one that ended may still be meant. */
const MEANT_MS = 2_000;

export interface BackgroundRun {
  /** Known with the first event; nothing when the run never began (a file that does not load). */
  readonly runId: Promise<string | undefined>;
  readonly result: Promise<Result>;
  /** As Ctrl-C does: steps are ended, and the run can be resumed. `person`: who wants that. */
  stop(person?: string): void;
  /** Steps are ended and nothing is recorded of that: another process goes on with the run as after a crash. */
  leave(): void;
  listen(listener: Listener): () => void;
}

export interface ClosedRuns {
  readonly stopped: readonly string[];
  readonly left: readonly string[];
}

export class BackgroundRuns {
  /** With their ids, once these are known. */
  readonly #all = new Map<BackgroundRun, string | undefined>();
  readonly #byId = new Map<string, BackgroundRun>();
  readonly #lately = new Set<string>();
  #isClosed = false;

  /** Starts a run; `go` is a service that is handed who listens and when to stop. `id`: where it was decided before. */
  start(go: (driving: Required<Pick<DriveListeners, "on" | "signal">>) => Promise<Result>, id?: string): BackgroundRun {
    const stop = new AbortController();
    const listeners = new Set<Listener>();
    let tellId: (runId: string | undefined) => void = () => {};
    const runId = new Promise<string | undefined>((resolve) => (tellId = resolve));
    if (this.#isClosed) stop.abort();
    const on: Listener = (event) => {
      this.#byId.set(event.run_id, run);
      if (this.#all.get(run) === undefined) this.#all.set(run, event.run_id);
      tellId(event.run_id);
      for (const listener of listeners) listener(event);
    };
    const result = go({ on, signal: stop.signal }).finally(() => {
      tellId(undefined);
      this.#all.delete(run);
      for (const [id, one] of this.#byId) if (one === run) this.#forget(id);
    });
    // No caller may be waiting any more; those that are get the defect.
    result.catch(() => {});
    const run: BackgroundRun = {
      runId,
      result,
      stop: (person) => stop.abort(person === undefined ? undefined : new StoppedBy(person)),
      leave: () => stop.abort(new DriveLeft(undefined)),
      listen(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
    this.#all.set(run, id);
    return run;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get size(): number {
    return this.#all.size;
  }

  /** The run while it is driven here; by its id, or by the beginning or end of one. */
  find(run: string): BackgroundRun | undefined {
    const wanted = run.toUpperCase();
    const ids = wanted === "" ? [] : [...this.#byId.keys()].filter(isOfId(wanted));
    return ids.length === 1 ? this.#byId.get(ids[0] ?? "") : undefined;
  }

  /** On SIGINT: stops the runs that `segno cancel` meant by it. False when it meant none, but the whole server. */
  async stopRequested(home: string): Promise<boolean> {
    const begun = Promise.all([...this.#all.keys()].map(({ runId }) => runId));
    await Promise.race([begun, pause(MEANT_MS, undefined, { ref: false })]);
    const meant = [...this.#byId.keys(), ...this.#lately].filter((id) => takeStopRequest(runFolderIn(home, id)));
    for (const id of meant) this.#byId.get(id)?.stop();
    return meant.length > 0;
  }

  #forget(id: string): void {
    this.#byId.delete(id);
    this.#lately.add(id);
    setTimeout(() => this.#lately.delete(id), MEANT_MS).unref();
  }

  /** Stops whatever still runs and waits until it has been written down. `isLeft`: which of them others go on with. */
  async close(isLeft: (runId: string) => Awaitable<boolean> = () => false): Promise<ClosedRuns> {
    this.#isClosed = true;
    const stopped: string[] = [];
    const left: string[] = [];
    const end = async (run: BackgroundRun, id: string | undefined): Promise<void> => {
      const leaves = id !== undefined && (await isLeft(id));
      if (leaves) run.leave();
      else run.stop();
      if (id !== undefined) (leaves ? left : stopped).push(id);
      await run.result;
    };
    await Promise.allSettled([...this.#all].map(([run, id]) => end(run, id)));
    return { stopped, left };
  }
}

/** The result if the run ends within the time, else nothing. Stops waiting when the signal aborts. */
export async function waitFor(
  run: Pick<BackgroundRun, "runId" | "result">,
  ms: number,
  signal?: AbortSignal,
): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  let leave: (() => void) | undefined;
  const enough = new Promise<undefined>((resolve) => {
    leave = () => resolve(undefined);
    timer = setTimeout(leave, ms);
    signal?.addEventListener("abort", leave, { once: true });
    if (signal?.aborted) leave();
  });
  try {
    // However short the wait: a run that cannot begin is answered at once, and one that has begun is known by its id.
    const begun = await Promise.race([run.runId, enough]);
    if (begun === undefined && !signal?.aborted && (await run.runId) === undefined) return await run.result;
    return await Promise.race([run.result, enough]);
  } finally {
    clearTimeout(timer);
    if (leave) signal?.removeEventListener("abort", leave);
  }
}
