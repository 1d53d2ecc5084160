// The runs that a server shows: only those of files below its root, each read once and kept up with while a client
// follows it. The others are closed when there are too many.
import { setTimeout as pause } from "node:timers/promises";
import { UnknownRun } from "../../../services/refusals.ts";
import { isBelow } from "../../../services/session/path-inside.ts";
import type { Session } from "../../../services/session/session.ts";
import { namedRun, reading, storeFor } from "../../../services/session/store.ts";
import type { RunStore } from "../../../storage/store.ts";
import { WatchedRun } from "./watched-run.ts";

/** Runs that are kept though no client follows them. */
const MOST_AT_REST = 12;
const LOOK_MS = 50;
const LOOK_AT_REST_MS = 300;
/** How long a page may show a run as running whose process was killed. */
const LOOK_FOR_DRIVER_MS = 1000;

interface Watched {
  readonly run: Promise<WatchedRun>;
  followers: number;
  lastUsed: number;
}

export class WatchedRuns {
  readonly #runs = new Map<string, Watched>();
  readonly #stop = new AbortController();
  #clock = 0;

  static async open(session: Session, root: string): Promise<WatchedRuns> {
    return new WatchedRuns(await storeFor(session), session, root);
  }

  private constructor(
    readonly store: RunStore,
    private readonly session: Session,
    private readonly root: string,
  ) {}

  get stopping(): AbortSignal {
    return this.#stop.signal;
  }

  /** The whole id of a run that may be shown. A run of a file elsewhere is refused like one that does not exist. */
  async idOf(run: string): Promise<string> {
    const runId = await namedRun(this.store, this.session, { run }, (file) => this.isShown(file));
    if (this.#runs.has(runId)) return runId;
    const file = (await this.store.summary(runId))?.file ?? (await reading(this.store, runId, ({ meta }) => meta.file));
    if (!this.isShown(file)) throw new UnknownRun(run, this.session.reader);
    return runId;
  }

  isShown(file: string): boolean {
    return isBelow(file, this.root);
  }

  async get(run: string): Promise<WatchedRun> {
    const runId = await this.idOf(run);
    const watched = await this.#watched(runId).run;
    await watched.catchUp();
    return watched;
  }

  #watched(runId: string): Watched {
    let watched = this.#runs.get(runId);
    if (!watched) {
      watched = { run: WatchedRun.open(this.store, runId, this.session), followers: 0, lastUsed: 0 };
      this.#runs.set(runId, watched);
      watched.run.catch(() => this.#runs.delete(runId));
    }
    watched.lastUsed = ++this.#clock;
    this.#letGo();
    return watched;
  }

  /** Keeps a run up with its journal until the returned function is called. */
  async follow(run: string): Promise<{ readonly run: WatchedRun; leave(): void }> {
    const runId = await this.idOf(run);
    const watched = this.#watched(runId);
    watched.followers += 1;
    const leave = (): void => {
      watched.followers -= 1;
      this.#letGo();
    };
    try {
      const followed = await watched.run;
      await followed.catchUp();
      await followed.lookForDriver();
      if (watched.followers === 1) void this.#keepUp(watched, followed);
      return { run: followed, leave };
    } catch (problem) {
      leave();
      throw problem;
    }
  }

  async #keepUp(watched: Watched, run: WatchedRun): Promise<void> {
    const { signal } = this.#stop;
    let driverDue = performance.now() + LOOK_FOR_DRIVER_MS;
    try {
      while (watched.followers > 0 && !signal.aborted) {
        await run.catchUp();
        if (performance.now() >= driverDue) {
          await run.lookForDriver();
          driverDue = performance.now() + LOOK_FOR_DRIVER_MS;
        }
        await pause(run.state.status === "running" ? LOOK_MS : LOOK_AT_REST_MS, undefined, { signal, ref: false });
      }
    } catch {
      // The server stops, or the run is gone or damaged: the next request for it gets the error.
      if (!signal.aborted) this.#forget(run.runId);
    }
  }

  /** The JSON text of a long value of a run that is at hand. */
  async wholeValue(name: string, run?: string): Promise<string | undefined> {
    const among = run === undefined ? [...this.#runs.values()] : [this.#watched(await this.idOf(run))];
    for (const watched of among) {
      const text = await (await watched.run).wholeValue(name);
      if (text !== undefined) return text;
    }
    return undefined;
  }

  #letGo(): void {
    const atRest = [...this.#runs].filter(([, { followers }]) => followers === 0);
    atRest.sort(([, a], [, b]) => a.lastUsed - b.lastUsed);
    for (const [runId] of atRest.slice(0, Math.max(0, atRest.length - MOST_AT_REST))) this.#forget(runId);
  }

  #forget(runId: string): void {
    const watched = this.#runs.get(runId);
    this.#runs.delete(runId);
    // Readers that have it open may finish: it is closed a moment later.
    if (watched) setTimeout(() => watched.run.then((run) => run.close()).catch(() => {}), CLOSE_AFTER_MS).unref();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    const all = [...this.#runs.values()];
    this.#runs.clear();
    await Promise.allSettled(all.map(async ({ run }) => (await run).close()));
    await this.store.close();
  }
}

const CLOSE_AFTER_MS = 10_000;
