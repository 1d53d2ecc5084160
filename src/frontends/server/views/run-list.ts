// The list of runs as a page shows it: filtered, a page at a time, with the days as bars. And the list of a fleet's
// workers.
import { keptIn } from "../../../base/errors/mapping.ts";
import { queueOf, type WorkerEntry, workerEntry } from "../../../features/fleet/work/workers.ts";
import { whyTheyWait } from "../../../services/reading/queued-run.ts";
import { timeOf } from "../../../services/runs/time-of.ts";
import { shownPath } from "../../../services/session/files.ts";
import type { Session } from "../../../services/session/session.ts";
import { canBeResumed, incompleteOf } from "../../../services/session/store.ts";
import type { StoredRun } from "../../../storage/store.ts";
import { LetterFailures, mayHaveWrongs, RunFailures } from "./failures.ts";
import { type CatalogRun, howItEndedItself, RunCatalog } from "./run-catalog.ts";
import { inputIn, type ListFilter, MOMENT_MS, matchingRuns, ReadingOn, readPiece } from "./run-filter.ts";
import type { WatchedRuns } from "./watched-runs.ts";
import { ENDED_ITSELF } from "./wrongs-of-run.ts";

export type ListedRun = Awaited<ReturnType<ShownRuns["rows"]>>[number];

const NONE: readonly string[] = [];
const LIMIT = 100;
const MOST_DAYS = 60;
export class ShownRuns {
  readonly failures: RunFailures;
  readonly letterFailures: LetterFailures;
  /** For answers about errors. */
  readonly readingOn: ReadingOn;
  readonly #catalog: RunCatalog;

  constructor(
    private readonly watched: WatchedRuns,
    private readonly session: Session,
  ) {
    this.failures = new RunFailures(watched.store, session, watched.stopping);
    this.letterFailures = new LetterFailures(watched.store, session.cwd);
    this.readingOn = new ReadingOn(watched.stopping);
    this.#catalog = new RunCatalog(watched.store, (file) => watched.isShown(file));
  }

  /** All runs of files below the root, as they are now. */
  async catalog(): Promise<RunCatalog> {
    await this.#catalog.refresh();
    return this.#catalog;
  }

  async page(filter: ListFilter) {
    const catalog = await this.catalog();
    const kinds = await this.#kinds();
    if (filter.kind !== undefined) await this.#readKinds(catalog);
    const given = filter.input === undefined ? undefined : await this.#givenInput(filter.input);
    const runs = given ? catalog.runs.filter(({ run }) => given.has(run.runId)) : catalog.runs;
    const { inDays, unread } = await matchingRuns(runs, filter, {
      kinds: kinds.of,
      cwd: this.session.cwd,
      failures: this.failures,
      readingOn: this.readingOn,
    });
    const [since, until] = [filter.since, filter.until].map((time) => (time === undefined ? undefined : timeOf(time)));
    const found =
      since === undefined && until === undefined
        ? inDays
        : inDays.filter(
            ({ startedMs }) =>
              (since === undefined || startedMs >= since) && (until === undefined || startedMs < until),
          );
    const { limit = LIMIT, cursor } = filter;
    const onPage: StoredRun[] = [];
    let isMore = false;
    for (let at = found.length - 1; at >= 0 && !isMore; at--) {
      const { run } = found[at] as CatalogRun;
      // Looked at anew: a link on its way may lead elsewhere by now.
      if ((cursor !== undefined && run.runId >= cursor) || !this.watched.isShown(run.file)) continue;
      if (onPage.length === limit) isMore = true;
      else onPage.push(run);
    }
    const isFirst = cursor === undefined;
    return {
      runs: await this.#rows(onPage),
      next: isMore ? (onPage.at(-1)?.runId ?? null) : null,
      total: found.length,
      // How many more may match once it is read how they failed.
      unread,
      days: isFirst ? daysOf(inDays, filter.tz ?? 0) : [],
      workflows: isFirst ? distinct(catalog.workflows) : [],
      kinds: isFirst ? distinct([...catalog.kinds, ...kinds.all]) : [],
      ...incompleteOf(this.watched.store),
    };
  }

  /** The newest as rows: what those who follow the list hold against what they have. */
  async rows(limit: number) {
    const catalog = await this.catalog();
    return this.#rows(catalog.newest(limit).filter(({ file }) => this.watched.isShown(file)));
  }

  /** Differs whenever `rows` may: by runs, by questions, and by what waits for a worker, which the fleet decides anew. */
  async version(limit: number): Promise<string> {
    const catalog = await this.catalog();
    const asking = [...(await this.#asking())].sort().join(" ");
    const isWaiting = catalog.newest(limit).some(({ waits }) => waits !== undefined);
    return `${catalog.version} ${this.failures.version} ${asking} ${isWaiting ? Math.floor(Date.now() / 1000) : ""}`;
  }

  async #rows(runs: readonly StoredRun[]) {
    const asking = await this.#asking();
    const whyItWaits = await whyTheyWait(this.watched.store, runs);
    return Promise.all(
      runs.map(async (run) => {
        const failure = await this.failures.of(run);
        return {
          run_id: run.runId,
          status: run.crashed ? "crashed" : run.status,
          termination: howItEndedItself(run),
          name: run.name,
          workflow: run.workflow,
          file: shownPath(run.file, this.session.cwd),
          cell: run.cell ?? null,
          failing_step: failure?.step ?? null,
          kind: run.failingKind ?? failure?.kind ?? null,
          reason: failure?.error_type === ENDED_ITSELF ? failure.message : null,
          started_at: run.started,
          ended_at: run.ended,
          took_ms: run.durationMs === null ? null : Math.round(run.durationMs),
          cost_usd: run.costUsd,
          resumable: canBeResumed(run),
          waits: asking.has(run.runId),
          waits_because: whyItWaits(run)?.short ?? null,
        };
      }),
    );
  }

  /** The catalog does not have the inputs of runs: the store is asked. */
  async #givenInput(input: string): Promise<ReadonlySet<string>> {
    const runs = await this.watched.store.runs({ inputs: inputIn(input) });
    return new Set(runs.map(({ runId }) => runId));
  }

  /** The index does not have the kinds of what a run went on without. */
  async #readKinds({ runs }: RunCatalog): Promise<void> {
    const degraded = runs
      .filter(({ run }) => run.status === "degraded")
      .map(({ run }) => run)
      .reverse();
    const { found } = await readPiece(degraded, (run) => this.failures.allOf(run), MOMENT_MS);
    this.readingOn.want(degraded.slice(found.length).map((run) => () => this.failures.allOf(run)));
  }

  /** Kinds that a run failed with, that it is known to have lost something by, or that it kept letters of. */
  async #kinds(): Promise<{ readonly all: readonly string[]; of(run: StoredRun): readonly string[] }> {
    const kept = new Map<string, Set<string>>();
    const all = new Set<string>();
    for (const { runId, kind } of await this.watched.store.state.letters.unsettled()) {
      if (this.#catalog.get(runId) === undefined) continue;
      keptIn(kept, runId, () => new Set<string>()).add(kind);
      all.add(kind);
    }
    return {
      all: [...all, ...this.failures.allKindsKnown((runId) => this.#catalog.get(runId))],
      of: (run) => {
        const letters = kept.get(run.runId);
        // Most runs have none: for these no list is made.
        if (run.failingKind === null && !letters && !mayHaveWrongs(run)) return NONE;
        const own = run.failingKind === null ? [] : [run.failingKind];
        return [...own, ...(mayHaveWrongs(run) ? this.failures.kindsKnown(run) : []), ...(letters ?? [])];
      },
    };
  }

  async #asking(): Promise<ReadonlySet<string>> {
    return new Set(await this.watched.store.state.gates.asking());
  }
}

const DAY_MS = 86_400_000;

function daysOf(runs: readonly CatalogRun[], tz: number) {
  const days = new Map<number, Map<string, [number]>>();
  let [from, to] = [Number.NaN, Number.NaN];
  let counts = new Map<string, [number]>();
  for (const { status, startedMs } of runs) {
    // Most began on the same day as the one before.
    if (!(startedMs >= from && startedMs < to)) {
      const day = Math.floor((startedMs + tz * 60_000) / DAY_MS);
      counts = keptIn(days, day, () => new Map());
      from = day * DAY_MS - tz * 60_000;
      to = from + DAY_MS;
    }
    const count = counts.get(status);
    if (count) count[0]++;
    else counts.set(status, [1]);
  }
  const newest = [...days].sort(([a], [b]) => b - a).slice(0, MOST_DAYS);
  return newest
    .reverse()
    .map(([day, counts]) => ({
      day: new Date(day * DAY_MS).toISOString().slice(0, 10),
      counts: Object.fromEntries([...counts].map(([status, [count]]) => [status, count])),
      total: [...counts.values()].reduce((sum, [count]) => sum + count, 0),
    }));
}

const distinct = (words: readonly string[]): readonly string[] => [...new Set(words)].sort();

type Watching = Pick<WatchedRuns, "store" | "isShown">;

export async function workersShown(watched: Watching) {
  const { fleet } = watched.store;
  // Each run is driven by the process that starts it, and there are no workers.
  if (!fleet) return { fleet: false, workers: [], queue: null };
  const [workers, queue] = await Promise.all([fleet.workers(), fleet.queue()]);
  const shown = await Promise.all(workers.map((worker) => shownWorker(workerEntry(worker), watched)));
  return { fleet: true, workers: shown, queue: queueOf(queue) };
}

async function shownWorker({ runs, ...worker }: WorkerEntry, watched: Watching) {
  const found = await Promise.all(runs.map((run) => watched.store.summary(run)));
  const shown = found.flatMap((run) =>
    run && watched.isShown(run.file) ? [{ run_id: run.runId, workflow: run.workflow }] : [],
  );
  return { ...worker, runs: shown, other_runs: runs.length - shown.length };
}
