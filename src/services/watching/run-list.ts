// The list of runs as a page shows it: filtered, a page at a time, with the days as bars.

import type { StoredRun } from "../../hosts/store.ts";
import { parseDuration } from "../../language/schema/parse-duration.ts";
import { whyTheyWait } from "../fleet/waiting-run.ts";
import { kindPattern } from "../kind-pattern.ts";
import { canBeResumed } from "../newest-run.ts";
import { refusal } from "../refusals.ts";
import type { Surroundings } from "../request.ts";
import { shownPath } from "../shown-path.ts";
import { RunFailures } from "./failures.ts";
import { readPiece } from "./in-pieces.ts";
import { LetterFailures } from "./letter-failures.ts";
import { ReadingOn } from "./reading-on.ts";
import type { WatchedRuns } from "./watched-runs.ts";
import { ENDED_ITSELF, type RunFailure } from "./wrongs-of-run.ts";

export interface ListedRun {
  readonly run_id: string;
  readonly status: StoredRun["status"] | "crashed";
  /** Of `terminated`: which way. */
  readonly termination: "success" | "failed" | null;
  readonly workflow: string;
  readonly file: string;
  readonly failing_step: string | null;
  readonly kind: string | null;
  /** Of `terminated` as failed: why. */
  readonly reason: string | null;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly took_ms: number | null;
  readonly cost_usd: number | null;
  readonly resumable: boolean;
  readonly waits: boolean;
  /** Why no worker of the fleet takes it. */
  readonly waits_because: string | null;
}

export interface ListFilter {
  /** Comma-separated; also `terminated:failed` and `terminated:success`. */
  readonly status?: string;
  readonly workflow?: string;
  /** As rows name it. */
  readonly file?: string;
  /** A kind, or a pattern with `*`. */
  readonly kind?: string;
  readonly text?: string;
  /** An ISO time, or an age. */
  readonly since?: string;
  readonly until?: string;
  readonly cursor?: string;
  readonly limit?: number;
  /** Minutes east of UTC. */
  readonly tz?: number;
}

export interface RunPage {
  readonly runs: readonly ListedRun[];
  readonly next: string | null;
  readonly total: number;
  readonly days: readonly { readonly day: string; readonly counts: Record<string, number>; readonly total: number }[];
  readonly workflows: readonly string[];
  readonly kinds: readonly string[];
}

const LIMIT = 100;
const MOST_DAYS = 60;

export class ShownRuns {
  readonly failures: RunFailures;
  readonly letterFailures = new LetterFailures();
  /** For answers about errors. */
  readonly readingOn: ReadingOn;
  readonly #watched: WatchedRuns;
  readonly #surroundings: Surroundings;

  constructor(watched: WatchedRuns, surroundings: Surroundings) {
    this.#watched = watched;
    this.#surroundings = surroundings;
    this.failures = new RunFailures(watched.store, surroundings, watched.stopping);
    this.readingOn = new ReadingOn(watched.stopping);
  }

  /** Runs of files below the root, newest first. */
  async shown(): Promise<readonly StoredRun[]> {
    const isShown = new Map<string, boolean>();
    const all = await this.#watched.store.runs({});
    return all.filter(({ file }) => {
      let shown = isShown.get(file);
      if (shown === undefined) {
        shown = this.#watched.isShown(file);
        isShown.set(file, shown);
      }
      return shown;
    });
  }

  async page(filter: ListFilter): Promise<RunPage> {
    const all = await this.shown();
    const kinds = await this.#kinds();
    if (filter.kind !== undefined) await this.#readKinds(all);
    const inDays = await this.#matching(all, filter, kinds);
    const [since, until] = [timeOf(filter.since), timeOf(filter.until)];
    const found = inDays.filter(({ started }) => {
      const began = Date.parse(started);
      return (since === undefined || began >= since) && (until === undefined || began < until);
    });
    const rest = filter.cursor === undefined ? found : found.filter(({ runId }) => runId < (filter.cursor ?? ""));
    const { limit = LIMIT } = filter;
    const onPage = rest.slice(0, limit);
    const isFirst = filter.cursor === undefined;
    return {
      runs: await this.#rows(onPage),
      next: rest.length > limit ? (onPage.at(-1)?.runId ?? null) : null,
      total: found.length,
      days: isFirst ? daysOf(inDays, filter.tz ?? 0) : [],
      workflows: isFirst ? distinct(all.map(({ workflow }) => workflow)) : [],
      kinds: isFirst ? distinct(all.flatMap((run) => kinds(run))) : [],
    };
  }

  /** Every run of the list as a row: what those who follow the list hold against what they have. */
  async rows(limit: number): Promise<readonly ListedRun[]> {
    return this.#rows((await this.shown()).slice(0, limit));
  }

  async #rows(runs: readonly StoredRun[]): Promise<readonly ListedRun[]> {
    const asking = await this.#asking();
    const whyItWaits = await whyTheyWait(this.#watched.store, runs);
    return Promise.all(
      runs.map(async (run) => ({
        ...(await this.#row(run, asking)),
        waits_because: whyItWaits(run)?.short ?? null,
      })),
    );
  }

  /** The index does not have the kinds of what a run went on without. */
  async #readKinds(runs: readonly StoredRun[]): Promise<void> {
    const degraded = runs.filter(({ status }) => status === "degraded");
    await readPiece(degraded, (run) => this.failures.allOf(run));
  }

  /** Kinds that a run failed with, that it is known to have lost something by, or that it kept letters of. */
  async #kinds(): Promise<(run: StoredRun) => readonly string[]> {
    const kept = new Map<string, Set<string>>();
    for (const { runId, kind } of await this.#watched.store.state.letters.list({ status: ["open", "retrying"] }))
      kept.set(runId, (kept.get(runId) ?? new Set()).add(kind));
    return (run) => [
      ...(run.failingKind === null ? [] : [run.failingKind]),
      ...this.failures.kindsKnown(run),
      ...(kept.get(run.runId) ?? []),
    ];
  }

  async #asking(): Promise<ReadonlySet<string>> {
    return new Set((await this.#watched.store.state.gates.pending()).map(({ runId }) => runId));
  }

  async #row(run: StoredRun, asking: ReadonlySet<string>): Promise<Omit<ListedRun, "waits_because">> {
    const failure = await this.failures.of(run);
    return {
      run_id: run.runId,
      status: run.crashed ? "crashed" : run.status,
      termination: terminationOf(run),
      workflow: run.workflow,
      file: shownPath(run.file, this.#surroundings.cwd),
      failing_step: failure?.step ?? null,
      kind: run.failingKind ?? failure?.kind ?? null,
      reason: failure?.error_type === ENDED_ITSELF ? failure.message : null,
      started_at: run.started,
      ended_at: run.ended,
      took_ms: run.durationMs === null ? null : Math.round(run.durationMs),
      cost_usd: run.costUsd,
      resumable: canBeResumed(run),
      waits: asking.has(run.runId),
    };
  }

  async #matching(
    runs: readonly StoredRun[],
    filter: ListFilter,
    kinds: (run: StoredRun) => readonly string[],
  ): Promise<readonly StoredRun[]> {
    const { workflow, text } = filter;
    const statuses = filter.status?.split(",").filter(Boolean) ?? [];
    const kind = filter.kind === undefined ? undefined : kindPattern(filter.kind);
    const plain = runs.filter(
      (run) =>
        (statuses.length === 0 || wordsOf(run).some((word) => statuses.includes(word))) &&
        (workflow === undefined || run.workflow === workflow) &&
        (filter.file === undefined || shownPath(run.file, this.#surroundings.cwd) === filter.file) &&
        (kind === undefined || kinds(run).some(kind)),
    );
    if (text === undefined || text === "") return plain;
    const wanted = text.toLowerCase();
    const { found } = await readPiece(
      plain,
      async (run) => isAbout(run, await this.failures.of(run), wanted),
      Number.POSITIVE_INFINITY,
    );
    return plain.filter((_, index) => found[index]);
  }
}

/** A workflow that ended itself did so well or badly, and only its exit code says which. */
const terminationOf = ({ status, exitCode }: StoredRun): ListedRun["termination"] =>
  status === "terminated" ? (exitCode === 0 ? "success" : "failed") : null;

/** The words under which a run is looked for. */
function wordsOf(run: StoredRun): readonly string[] {
  const status = run.crashed ? "crashed" : run.status;
  const termination = terminationOf(run);
  return termination === null ? [status] : [status, `${status}:${termination}`];
}

const isAbout = (run: StoredRun, failure: RunFailure | null, wanted: string): boolean =>
  [run.runId, run.workflow, run.file, run.failingKind, failure?.step, failure?.message].some((text) =>
    text?.toLowerCase().includes(wanted),
  );

function daysOf(runs: readonly StoredRun[], tz: number): RunPage["days"] {
  const days = new Map<string, { counts: Record<string, number>; total: number }>();
  for (const run of runs) {
    const day = new Date(Date.parse(run.started) + tz * 60_000).toISOString().slice(0, 10);
    const found = days.get(day) ?? { counts: {}, total: 0 };
    days.set(day, found);
    const word = wordsOf(run).at(-1) ?? run.status;
    found.counts[word] = (found.counts[word] ?? 0) + 1;
    found.total += 1;
  }
  const newest = [...days].sort(([a], [b]) => (a < b ? 1 : -1)).slice(0, MOST_DAYS);
  return newest.reverse().map(([day, found]) => ({ day, ...found }));
}

const distinct = (words: readonly string[]): readonly string[] => [...new Set(words)].sort();

/** Of an ISO time, or of an age before now. */
export function timeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const age = parseDuration(text);
  const time = age === undefined ? Date.parse(text) : Date.now() - age * 1000;
  if (Number.isNaN(time)) throw refusal(`${JSON.stringify(text)} is no time; write 2h, 1d or 2026-11-15T08:00:00Z`);
  return time;
}
