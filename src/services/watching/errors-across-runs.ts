// Failures of all runs, grouped by kind and step: how runs ended, and what was given up and kept as a letter.
import { traitsOf } from "../../errors/index.ts";
import type { Letter } from "../../hosts/shared-state.ts";
import { kindPattern } from "../kind-pattern.ts";
import { letterView } from "../letters/view.ts";
import { redactorsOfRuns } from "../redactors-of-runs.ts";
import type { Surroundings } from "../request.ts";
import { shownPath } from "../shown-path.ts";
import { type ShownRuns, timeOf } from "./run-list.ts";
import { stepOf } from "./standing.ts";
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

export async function errorsAcrossRuns(
  list: ShownRuns,
  watched: WatchedRuns,
  filter: ErrorsFilter,
  surroundings: Surroundings,
): Promise<{ readonly groups: readonly ErrorGroup[]; readonly total: number }> {
  const since = timeOf(filter.since ?? "30d") ?? 0;
  const kind = filter.kind === undefined ? undefined : kindPattern(filter.kind);
  const all = [...(await failedRuns(list, surroundings)), ...(await keptLetters(list, watched, surroundings))];
  const wanted = all.filter(
    (one) =>
      Date.parse(one.at) >= since &&
      (filter.workflow === undefined || one.workflow === filter.workflow) &&
      (kind === undefined || (one.kind !== null && kind(one.kind))),
  );
  const groups = grouped(wanted);
  return {
    groups: groups.slice(0, filter.limit ?? 100),
    total: groups.reduce((sum, { count }) => sum + count, 0),
  };
}

async function failedRuns(list: ShownRuns, { cwd }: Surroundings): Promise<readonly OneFailure[]> {
  const runs = await list.shown();
  const found = await Promise.all(
    runs.map(async (run) => {
      const failure = await list.failures.of(run);
      if (!failure) return [];
      const { step, kind, error_type, message, at } = failure;
      const place = { run: run.runId, workflow: run.workflow, file: shownPath(run.file, cwd), isLetter: false };
      return [{ ...place, step, kind, error_type: kind === null ? error_type : null, message, at }];
    }),
  );
  return found.flat();
}

async function keptLetters(
  list: ShownRuns,
  { store }: WatchedRuns,
  surroundings: Surroundings,
): Promise<readonly OneFailure[]> {
  const shown = new Set((await list.shown()).map(({ runId }) => runId));
  const letters = await store.state.letters.list({ status: ["open", "retrying"] });
  const redactorOf = redactorsOfRuns(store, surroundings);
  const failureOf = async (letter: Letter): Promise<OneFailure> => {
    const view = letterView(letter, surroundings.cwd, await redactorOf(letter.runId));
    const { run_id, kind, workflow, file, path, node_id, message, last_seen } = view;
    const place = { run: run_id, workflow, file, step: stepOf(path, node_id) };
    return { ...place, kind, error_type: null, message, at: last_seen, isLetter: true };
  };
  return Promise.all(letters.filter(({ runId }) => shown.has(runId)).map(failureOf));
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
  const traits = kind === null ? { retryable: false, fixable: true } : traitsOf(kind);
  return {
    ...{ kind, error_type, workflow, file, step, message },
    // The letter of a failed run is the same failure.
    count: Math.max(letters, failures.length - letters, runs.length),
    first_at: newestFirst.at(-1)?.at ?? newest.at,
    last_at: newest.at,
    runs: runs.slice(0, MOST_RUNS),
    letters,
    retryable: traits.retryable,
    fixable: traits.fixable,
  };
}
