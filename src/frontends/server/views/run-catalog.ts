// All runs that a server shows, in memory: read once in parts, then kept up by what has changed. A list of 100 000 runs is
// answered from here; the store is asked for changes only, which costs the same however many runs there are.

import { setImmediate as turn } from "node:timers/promises";
import { keptIn } from "../../../base/errors/mapping.ts";
import type { RunStore, StoredRun } from "../../../storage/store.ts";

export interface CatalogRun {
  run: StoredRun;
  startedMs: number;
  /** As lists count it: `crashed` of a run whose process is gone, `terminated:failed` of one that ended itself badly. */
  status: string;
}

/** Rows that are read at a time; others have their turn in between. */
const PART = 2000;
/** The newest runs, which users look at: whether their processes live is checked again, though nothing was written. */
const LOOKED_AT = 500;
const LOOK_AGAIN_MS = 1000;
/** After so long without a look, removals may have been forgotten. */
const STALE_MS = 20 * 60_000;

export class RunCatalog {
  readonly #shownFiles = new Map<string, boolean>();
  readonly #texts = new Map<string, string>();
  readonly #byId = new Map<string, CatalogRun>();
  readonly #workflows = new Map<string, number>();
  readonly #kinds = new Map<string, number>();
  /** Oldest first, so that a new run is added at the end. */
  #runs: CatalogRun[] = [];
  #cursor: string | undefined;
  #refreshing: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #lookedAgainAt = Number.NEGATIVE_INFINITY;
  #version = 0;

  constructor(
    private readonly store: RunStore,
    private readonly isShown: (file: string) => boolean,
  ) {}

  /** Changes with every change of a run. */
  get version(): number {
    return this.#version;
  }

  /** Oldest first. */
  get runs(): readonly CatalogRun[] {
    return this.#runs;
  }

  get(runId: string): StoredRun | undefined {
    return this.#byId.get(runId)?.run;
  }

  newest(count: number): readonly StoredRun[] {
    return this.#runs
      .slice(Math.max(0, this.#runs.length - count))
      .reverse()
      .map(({ run }) => run);
  }

  get workflows(): readonly string[] {
    return [...this.#workflows.keys()];
  }

  get kinds(): readonly string[] {
    return [...this.#kinds.keys()];
  }

  /** Everything that was written before the call is here afterwards. Calls that come meanwhile share the next look. */
  refresh(): Promise<void> {
    if (!this.#refreshing) {
      this.#refreshing = this.#refresh().finally(() => {
        this.#refreshing = undefined;
      });
      return this.#refreshing;
    }
    this.#next ??= this.#refreshing
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.refresh();
      });
    return this.#next;
  }

  async #refresh(): Promise<void> {
    const { state } = this.store;
    const isStale = performance.now() - this.#lookedAt > STALE_MS;
    const changes = isStale ? undefined : await state.runs.changes(this.#cursor);
    if (!changes || changes.isLost || this.#cursor === undefined) await this.#readAll();
    else {
      this.#remove(changes.removed);
      await this.#readAgain(changes.changed);
      this.#cursor = changes.cursor;
    }
    this.#lookedAt = performance.now();
    if (this.#lookedAt - this.#lookedAgainAt < LOOK_AGAIN_MS) return;
    this.#lookedAgainAt = this.#lookedAt;
    const unsettled = this.newest(LOOKED_AT).filter(({ status, waits }) => status === "running" || waits);
    await this.#readAgain(unsettled.map(({ runId }) => runId));
  }

  /** The cursor first: what changes while the rows are read is read again after it. */
  async #readAll(): Promise<void> {
    const { cursor } = await this.store.state.runs.changes();
    for (const map of [this.#byId, this.#workflows, this.#kinds]) map.clear();
    this.#runs = [];
    const newestFirst: CatalogRun[] = [];
    for (let before: string | undefined; ; ) {
      const part = await this.store.runs({ limit: PART, before });
      for (const run of part) {
        const entry = this.#shown(run) ? this.#entry(run) : undefined;
        if (!entry || this.#byId.has(run.runId)) continue;
        newestFirst.push(entry);
        this.#byId.set(run.runId, entry);
        this.#count(entry.run, 1);
      }
      before = part.at(-1)?.runId;
      // Unreadable rows are left out of a part: only an empty one is the last.
      if (part.length === 0) break;
      await turn();
    }
    this.#runs = newestFirst.reverse();
    this.#cursor = cursor;
    this.#version += 1;
    const { changed, removed } = await this.store.state.runs.changes(cursor);
    this.#remove(removed);
    await this.#readAgain(changed);
  }

  async #readAgain(runIds: readonly string[]): Promise<void> {
    for (let from = 0; from < runIds.length; from += PART)
      for (const run of await this.store.summaries(runIds.slice(from, from + PART))) this.#put(run);
  }

  #put(run: StoredRun): void {
    const known = this.#byId.get(run.runId);
    if (known && JSON.stringify(known.run) === JSON.stringify(run)) return;
    if (known) {
      this.#count(known.run, -1);
      Object.assign(known, this.#entry(run));
    } else {
      if (!this.#shown(run)) return;
      const entry = this.#entry(run);
      this.#byId.set(run.runId, entry);
      this.#runs.splice(this.#placeOf(run.runId), 0, entry);
    }
    this.#count(run, 1);
    this.#version += 1;
  }

  #remove(runIds: readonly string[]): void {
    const gone = runIds.flatMap((runId) => this.#byId.get(runId) ?? []);
    if (gone.length === 0) return;
    for (const { run } of gone) {
      this.#byId.delete(run.runId);
      this.#count(run, -1);
    }
    this.#runs = this.#runs.filter(({ run }) => this.#byId.has(run.runId));
    this.#version += 1;
  }

  /** Where it stands, or would. */
  #placeOf(runId: string): number {
    let [from, to] = [0, this.#runs.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#runs[middle]?.run.runId ?? "") < runId) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** Names come again and again: each is kept once. */
  #entry(run: StoredRun): CatalogRun {
    const once = (text: string): string => keptIn(this.#texts, text, () => text);
    const { workflow, file, failingKind } = run;
    return {
      run: {
        ...run,
        workflow: once(workflow),
        file: once(file),
        failingKind: failingKind === null ? null : once(failingKind),
      },
      startedMs: Date.parse(run.started),
      status: once(exactStatus(run)),
    };
  }

  /** Rows of evals are listed with their eval. */
  #shown({ file, evalId }: StoredRun): boolean {
    return evalId === null && keptIn(this.#shownFiles, file, () => this.isShown(file));
  }

  #count({ workflow, failingKind }: StoredRun, by: 1 | -1): void {
    add(this.#workflows, workflow, by);
    if (failingKind !== null) add(this.#kinds, failingKind, by);
  }
}

/** A workflow that ended itself did so well or badly, and only its exit code says which. */
export const howItEndedItself = ({ status, exitCode }: StoredRun): "success" | "failed" | null =>
  status === "terminated" ? (exitCode === 0 ? "success" : "failed") : null;

function exactStatus(run: StoredRun): string {
  const termination = howItEndedItself(run);
  const status = run.crashed ? "crashed" : run.status;
  return termination === null ? status : `${status}:${termination}`;
}

function add(counts: Map<string, number>, name: string, by: number): void {
  const count = (counts.get(name) ?? 0) + by;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}
