// What happened: how runs ended, how long they took and what they cost, by workflow and step. Read from rows that are
// written when a run ends, not from journals.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { keptIn } from "../../base/errors/mapping.ts";
import type { RunFigures } from "../../base/events/state/run-figures.ts";
import { head, type ListHead } from "../../base/results/index.ts";
import { ENDED, type EndedRow, type FiguresFilter } from "../../storage/run-index.ts";
import type { RunStore } from "../../storage/store.ts";
import { orRefused, refusal } from "../refusals.ts";
import { shownPath } from "../session/files.ts";
import type { Session } from "../session/session.ts";
import { incompleteOf, nowOf, withStore } from "../session/store.ts";
import { addRun, newSums, summed, type WorkflowStats, type WorkflowSums } from "./stats-sums.ts";
import { timeOf } from "./time-of.ts";

export interface StatsRequest {
  /** Runs of this file; left out: of all files. */
  readonly file?: string;
  readonly workflow?: string;
  /** Runs that began at or after this time, or within this age: `90d`; 30 days when left out. */
  readonly since?: string;
  readonly until?: string;
  /** One of `completed`, `degraded`, `terminated`, `failed`, `cancelled`. */
  readonly status?: string;
  /** Inputs as texts, by name: runs that were given all of them. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** How many runs are counted, the newest; 10 000 when left out. */
  readonly limit?: number;
}

export interface StatsAnswer extends ListHead {
  readonly since: string;
  readonly until: string | null;
  /** How many runs were counted. */
  readonly runs: number;
  /** There are older ones within that time, which were not counted: more than `limit`. */
  readonly more: boolean;
  /** Runs of Segno 0.3: counted by how they ended, without their steps and resumes. */
  readonly without_steps: number;
  /** Those with the most runs first. */
  readonly workflows: readonly WorkflowStats[];
}

const SINCE = "30d";
const MOST_RUNS = 10_000;
/** Runs that are read at a time; other work of this process has its turn in between. */
const PART = 20_000;

/** `isShown`: whether the caller may see runs of that file. */
export const statsOfRuns = (
  session: Session,
  request: StatsRequest,
  isShown: (file: string) => boolean = () => true,
): Promise<StatsAnswer> =>
  orRefused(session, { since: "", until: null, runs: 0, more: false, without_steps: 0, workflows: [] }, () =>
    withStore(session, (store) => statsIn(store, session, request, isShown)),
  );

async function statsIn(
  store: RunStore,
  session: Session,
  request: StatsRequest,
  isShown: (file: string) => boolean,
): Promise<StatsAnswer> {
  const { file, workflow, status, inputs, limit = MOST_RUNS, until } = request;
  const now = nowOf(store);
  const since = timeOf(request.since ?? SINCE, now);
  const before = until === undefined ? undefined : timeOf(until, now);
  const sums = new Map<string, WorkflowSums & { readonly workflow: string; readonly file: string }>();
  const more = await eachFigures(
    store,
    {
      file: file === undefined ? undefined : resolve(session.cwd, file),
      workflow,
      status: status === undefined ? undefined : endedStatus(status),
      inputs,
      since,
      until: before,
      limit,
    },
    (named, found) => {
      if (!isShown(named.file)) return;
      const own = keptIn(sums, JSON.stringify([named.file, named.workflow]), () => ({ ...newSums(), ...named }));
      for (const run of found) addRun(own, run);
    },
  );
  if (file !== undefined && sums.size === 0 && !existsSync(resolve(session.cwd, file)))
    throw refusal(`cannot read ${file}: there is no such file, and no run of it`);
  const workflows = [...sums.values()].map((own) => ({
    workflow: own.workflow,
    file: shownPath(own.file, session.cwd),
    ...summed(own),
  }));
  return {
    ...head(0),
    since: new Date(since).toISOString(),
    until: before === undefined ? null : new Date(before).toISOString(),
    runs: workflows.reduce((sum, one) => sum + one.runs, 0),
    more,
    without_steps: [...sums.values()].reduce((sum, one) => sum + one.withoutSteps, 0),
    workflows: workflows.sort((a, b) => b.runs - a.runs),
    ...incompleteOf(store),
  };
}

function endedStatus(status: string): (typeof ENDED)[number] {
  const known = ENDED.find((one) => one === status);
  if (known) return known;
  throw refusal(`figures are of runs that have ended: ${JSON.stringify(status)} is none of ${ENDED.join(", ")}`);
}

interface OfWorkflow {
  readonly workflow: string;
  readonly file: string;
}

/**
 * Calls with the runs that a filter leaves, the newest up to its limit, some of one workflow at a time; of a store that is
 * made of cells, those of each cell. True when older ones were left out.
 */
export async function eachFigures(
  store: RunStore,
  filter: FiguresFilter,
  use: (named: OfWorkflow, runs: readonly (RunFigures | EndedRow)[]) => void,
): Promise<boolean> {
  if (store.eachCell) {
    const cells = await store.eachCell((cell) => eachFigures(cell, filter, use));
    return cells.some(({ answer }) => answer);
  }
  let left = filter.limit ?? Number.POSITIVE_INFINITY;
  let before = filter.before;
  for (;;) {
    const limit = Math.min(PART, left);
    const part = await store.figures?.({ ...filter, before, limit });
    for (const { figures, ...named } of part?.workflows ?? [])
      use(named, JSON.parse(figures) as readonly (RunFigures | EndedRow)[]);
    left -= part?.runs ?? 0;
    before = part?.next;
    if (before === undefined) return false;
    if (left <= 0) return ((await store.figures?.({ ...filter, before, limit: 1 }))?.runs ?? 0) > 0;
    await turn();
  }
}
