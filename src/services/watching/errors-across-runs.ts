// Failures of all runs, grouped by kind and step: how runs ended, and what was given up and kept as a letter.
import { isEngineKind, traitsOf } from "../../errors/index.ts";
import type { StoredRun } from "../../hosts/store.ts";
import { kindPattern } from "../kind-pattern.ts";
import { redactorsOfRuns } from "../redactors-of-runs.ts";
import type { Surroundings } from "../request.ts";
import { shownPath } from "../shown-path.ts";
import { ENDED_ITSELF, wentWrong } from "./failures.ts";
import { readPiece } from "./in-pieces.ts";
import { type ShownRuns, timeOf } from "./run-list.ts";
import type { WatchedRuns } from "./watched-runs.ts";

export interface ErrorGroup {
  readonly kind: string | null;
  readonly error_type: string | null;
  readonly workflow: string;
  readonly file: string;
  readonly step: string | null;
  readonly message: string;
  readonly count: number;
  readonly first_at: string;
  readonly last_at: string;
  readonly runs: readonly string[];
  readonly letters: number;
  readonly retryable: boolean;
  readonly fixable: boolean;
}

export interface ErrorsFilter {
  readonly kind?: string;
  readonly workflow?: string;
  readonly since?: string;
  readonly limit?: number;
}

interface OneFailure {
  readonly run: string;
  readonly kind: string | null;
  readonly error_type: string | null;
  readonly workflow: string;
  readonly file: string;
  readonly step: string | null;
  readonly message: string;
  readonly at: string;
  readonly isLetter: boolean;
}

const MOST_RUNS = 20;

/** Newest first, as many as a moment allows; `unread` says how many older ones are not in the answer yet. */
export async function errorsAcrossRuns(
  list: ShownRuns,
  watched: WatchedRuns,
  filter: ErrorsFilter,
  surroundings: Surroundings,
): Promise<{ readonly groups: readonly ErrorGroup[]; readonly total: number; readonly unread: number }> {
  const since = timeOf(filter.since ?? "30d") ?? 0;
  const kind = filter.kind === undefined ? undefined : kindPattern(filter.kind);
  const runs = await list.shown();
  const all = [...failedRuns(list, runs, surroundings), ...(await keptLetters(list, runs, watched, surroundings))];
  // Nothing in a run happens after its end: what ended too early need not be read.
  const wanted = all
    .filter(({ until, workflow }) => until >= since && (filter.workflow === undefined || workflow === filter.workflow))
    .sort((a, b) => b.until - a.until);
  const { found, unread } = await readPiece(wanted, ({ read }) => read());
  const groups = grouped(
    found.filter(
      (one) =>
        one !== null && Date.parse(one.at) >= since && (kind === undefined || (one.kind !== null && kind(one.kind))),
    ) as readonly OneFailure[],
  );
  return {
    groups: groups.slice(0, filter.limit ?? 100),
    total: groups.reduce((sum, { count }) => sum + count, 0),
    unread,
  };
}

/** Something that may be in the answer once it was read. */
interface Unread {
  readonly workflow: string;
  /** The latest time that it can be of. */
  readonly until: number;
  readonly read: () => Promise<OneFailure | null>;
}

function failedRuns(list: ShownRuns, runs: readonly StoredRun[], { cwd }: Surroundings): readonly Unread[] {
  return runs.filter(wentWrong).map((run) => ({
    workflow: run.workflow,
    until: run.ended === null ? Number.POSITIVE_INFINITY : Date.parse(run.ended),
    read: async () => {
      const failure = await list.failures.of(run);
      if (!failure) return null;
      const { step, kind, error_type, message, at } = failure;
      const place = { run: run.runId, workflow: run.workflow, file: shownPath(run.file, cwd), isLetter: false };
      return { ...place, step, kind, error_type: kind === null ? error_type : null, message, at };
    },
  }));
}

async function keptLetters(
  list: ShownRuns,
  runs: readonly StoredRun[],
  { store }: WatchedRuns,
  surroundings: Surroundings,
): Promise<readonly Unread[]> {
  const shown = new Map(runs.map((run) => [run.runId, run]));
  const letters = await store.state.letters.list({ status: ["open", "retrying"] });
  const reading = { cwd: surroundings.cwd, redactorOf: redactorsOfRuns(store, surroundings) };
  return letters.flatMap((letter) => {
    const run = shown.get(letter.runId);
    if (!run) return [];
    const read = async (): Promise<OneFailure> => {
      const failure = await list.letterFailures.of(letter, run, reading);
      return { ...failure, run: letter.runId, error_type: null, isLetter: true };
    };
    return [{ workflow: letter.workflow, until: Date.parse(letter.lastSeen), read }];
  });
}

function grouped(failures: readonly OneFailure[]): readonly ErrorGroup[] {
  const groups = new Map<string, OneFailure[]>();
  for (const failure of failures) {
    const { kind, error_type, workflow, file, step } = failure;
    const name = JSON.stringify([kind, error_type, workflow, file, step]);
    const known = groups.get(name);
    if (known) known.push(failure);
    else groups.set(name, [failure]);
  }
  return [...groups.values()].map(groupOf).sort((a, b) => (a.last_at < b.last_at ? 1 : -1));
}

function groupOf(failures: readonly OneFailure[]): ErrorGroup {
  const newestFirst = [...failures].sort((a, b) => (a.at < b.at ? 1 : -1));
  const [newest] = newestFirst as [OneFailure];
  const { kind, error_type, workflow, file, step, message } = newest;
  const runs = [...new Set(newestFirst.map(({ run }) => run))];
  const letters = failures.filter(({ isLetter }) => isLetter).length;
  const { retryable, fixable } =
    kind === null ? { retryable: false, fixable: error_type !== ENDED_ITSELF } : traitsOf(kind);
  return {
    ...{ kind, error_type, workflow, file, step, message },
    // The letter of a failed run is the same failure.
    count: Math.max(letters, failures.length - letters, runs.length),
    first_at: newestFirst.at(-1)?.at ?? newest.at,
    last_at: newest.at,
    runs: runs.slice(0, MOST_RUNS),
    letters,
    retryable,
    // Of a kind of the author's own nobody knows whose it is to mend.
    fixable: fixable && (kind === null || isEngineKind(kind)),
  };
}
