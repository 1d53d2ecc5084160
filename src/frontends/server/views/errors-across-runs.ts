// Failures of all runs, grouped by kind and step: how runs ended, what groups went on without, and what was kept as a letter.

import { type Awaitable, mapMaybe } from "../../../base/awaitable.ts";
import { isEngineKind, traitsOf } from "../../../base/errors/index.ts";
import { keptIn } from "../../../base/errors/mapping.ts";
import { nodeId } from "../../../graph/run-ids.ts";
import { kindPattern } from "../../../services/dead-letters/select.ts";
import { shownOfRuns } from "../../../services/reading/shown-of-runs.ts";
import { timeOf } from "../../../services/runs/time-of.ts";
import { shownPath } from "../../../services/session/files.ts";
import type { Session } from "../../../services/session/session.ts";
import { mayHaveWrongs } from "./failures.ts";
import type { RunCatalog } from "./run-catalog.ts";
import { type ListFilter, MOMENT_MS, readPiece } from "./run-filter.ts";
import type { ShownRuns } from "./run-list.ts";
import { stepOf } from "./snapshot.ts";
import type { WatchedRuns } from "./watched-runs.ts";
import { ENDED_ITSELF, type RunFailure } from "./wrongs-of-run.ts";

type ErrorsFilter = Pick<ListFilter, "kind" | "workflow" | "since" | "limit">;

interface OneFailure extends Omit<RunFailure, "error_type"> {
  readonly error_type: string | null;
  readonly workflow: string;
  readonly file: string;
  readonly run: string;
  readonly isLetter: boolean;
}

const MOST_RUNS = 20;

/** Newest first, as many as a moment allows; the others are read on after the answer. */
export async function errorsAcrossRuns(list: ShownRuns, watched: WatchedRuns, filter: ErrorsFilter, session: Session) {
  const since = timeOf(filter.since ?? "30d");
  const kind = filter.kind === undefined ? undefined : kindPattern(filter.kind);
  const catalog = await list.catalog();
  const all = [...failedRuns(list, catalog, session), ...(await keptLetters(list, catalog, watched, session))];
  // Nothing in a run happens after its end: what ended too early need not be read.
  const wanted = all
    .filter(({ until, workflow }) => until >= since && (filter.workflow === undefined || workflow === filter.workflow))
    .sort((a, b) => b.until - a.until);
  const { found, unread } = await readPiece(wanted, ({ read }) => read(), MOMENT_MS);
  list.readingOn.want(wanted.slice(found.length).map(({ read }) => read));
  const groups = grouped(
    found
      .flatMap((one) => (typeof one === "string" ? [] : one))
      .filter((one) => Date.parse(one.at) >= since && (kind === undefined || (one.kind !== null && kind(one.kind)))),
  );
  return {
    groups: groups.slice(0, filter.limit ?? 100),
    groups_in_all: groups.length,
    total: groups.reduce((sum, { count }) => sum + count, 0),
    // Not in the answer yet; and what never will be, as things are.
    unread: unread + found.filter((one) => one === "unread").length,
    unreadable: wanted.flatMap(({ run }, index) => (found[index] === "unreadable" ? [run] : [])),
  };
}

interface Unread {
  readonly run: string;
  readonly workflow: string;
  /** The latest time that it can be of. */
  readonly until: number;
  readonly read: () => Awaitable<readonly OneFailure[] | "unread" | "unreadable">;
}

function failedRuns(list: ShownRuns, { runs }: RunCatalog, { cwd }: Session): readonly Unread[] {
  const wrong = runs.filter(({ run }) => mayHaveWrongs(run));
  return wrong.map(({ run }) => ({
    run: run.runId,
    workflow: run.workflow,
    until: run.ended === null ? Number.POSITIVE_INFINITY : Date.parse(run.ended),
    read: () =>
      mapMaybe(list.failures.allOf(run), (found) => {
        if (typeof found === "string") return found;
        const place = { run: run.runId, workflow: run.workflow, file: shownPath(run.file, cwd), isLetter: false };
        const failure = ({ error_type, ...one }: RunFailure): OneFailure => ({
          ...place,
          ...one,
          step: one.raised ? nodeId(one.raised.path, one.raised.node) : one.step,
          error_type: one.kind === null ? error_type : null,
        });
        return [...(found.end ? [found.end] : []), ...found.lost].map(failure);
      }),
  }));
}

async function keptLetters(
  list: ShownRuns,
  catalog: RunCatalog,
  { store }: WatchedRuns,
  session: Session,
): Promise<readonly Unread[]> {
  const letters = await store.state.letters.unsettled();
  const shownOf = shownOfRuns(store, session);
  return letters.flatMap((letter) => {
    const run = catalog.get(letter.runId);
    if (!run) return [];
    const read = async (): Promise<readonly OneFailure[]> => {
      const failure = await list.letterFailures.of(letter, run, shownOf);
      // Gone since the list was read.
      if (!failure) return [];
      return [{ ...failure, file: shownPath(run.file, session.cwd), run: letter.runId, isLetter: true }];
    };
    return [{ run: letter.runId, workflow: letter.workflow, until: Date.parse(letter.lastSeen), read }];
  });
}

function grouped(failures: readonly OneFailure[]) {
  const groups = new Map<string, OneFailure[]>();
  for (const failure of failures) {
    const { kind, error_type, workflow, file, step } = failure;
    const name = JSON.stringify([kind, error_type, workflow, file, step]);
    keptIn(groups, name, () => []).push(failure);
  }
  return [...groups.values()].map(groupOf).sort((a, b) => (a.last_at < b.last_at ? 1 : -1));
}

function groupOf(failures: readonly OneFailure[]) {
  // A letter says which step was given up, and when; what was read of its run, which one raised it, and when.
  const read = new Set(failures.filter(({ isLetter }) => !isLetter).map(({ run }) => run));
  const newestFirst = failures
    .filter(({ run, isLetter }) => !isLetter || !read.has(run))
    .sort((a, b) => (a.at < b.at ? 1 : -1));
  const [newest] = newestFirst as [OneFailure, ...OneFailure[]];
  const { kind, error_type, workflow, file, step, message } = newest;
  const byRun = new Map<string, OneFailure[]>(newestFirst.map(({ run }) => [run, []]));
  for (const failure of failures) byRun.get(failure.run)?.push(failure);
  const { retryable, fixable } =
    kind === null ? { retryable: false, fixable: error_type !== ENDED_ITSELF } : traitsOf(kind);
  return {
    kind,
    error_type,
    workflow,
    file,
    step,
    message,
    count: [...byRun.values()].reduce((sum, ofOneRun) => sum + timesIn(ofOneRun), 0),
    first_at: newestFirst.reduce((first, one) => (one.first_at < first ? one.first_at : first), newest.first_at),
    last_at: newest.at,
    newest: {
      run: newest.run,
      step: newest.raised ? stepOf(newest.raised.path, newest.raised.node) : null,
      item: newest.raised?.item ?? null,
    },
    runs: [...byRun.keys()].slice(0, MOST_RUNS),
    letters: failures.filter(({ isLetter }) => isLetter).length,
    retryable,
    // For an author's own kind it is not known who should fix it.
    fixable: fixable && (kind === null || isEngineKind(kind)),
  };
}

/** What was kept as a letter is also what the run failed with, or what it lost. */
function timesIn(ofOneRun: readonly OneFailure[]): number {
  const sum = (isLetter: boolean): number =>
    ofOneRun.reduce((times, one) => times + (one.isLetter === isLetter ? one.times : 0), 0);
  return Math.max(sum(true), sum(false));
}
