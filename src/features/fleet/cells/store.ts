// Several stores as one: each run is in one cell, lists are those of all cells together, and a cell that is away is missing
// from them by name.
import { join } from "node:path";
import type { Awaitable } from "../../../base/awaitable.ts";
import { onlyRun, partOfId, type RunFilter } from "../../../storage/run-index.ts";
import type { RunLog } from "../../../storage/run-log.ts";
import type { NewestFilter, NewRun, OfCell, RunStore, StoredRun } from "../../../storage/store.ts";
import { AmbiguousRun } from "../../../storage/store-error.ts";
import { cellsOf } from "./address.ts";
import { type CellStore, Cells, calledWhere, type OpenCell } from "./cells.ts";
import { fleetOfCells } from "./fleet.ts";
import { stateOfCells } from "./state.ts";

export type CellsStore = ReturnType<typeof storeOfCells>;

/** `one` of them, for what is the same in all: the keys that are here, and about the time. */
function storeOfCells(cells: Cells, one: CellStore, home: string) {
  const ofRun = (runId: string): Promise<CellStore> => cells.of(runId);
  const named = (run: StoredRun, cell: string): StoredRun => {
    cells.knows(run.runId, cell);
    return { ...run, cell };
  };
  /** Newest first: the ids of runs go by time. */
  const merged = (answers: readonly OfCell<readonly StoredRun[]>[], limit = Number.POSITIVE_INFINITY) =>
    answers
      .flatMap(({ cell, answer }) => answer.map((run) => named(run, cell)))
      .sort((a, b) => (a.runId < b.runId ? 1 : -1))
      .slice(0, limit);

  return {
    state: stateOfCells(cells),
    fleet: fleetOfCells(cells, one, join(home, "runs")),
    hashKey: one.hashKey,
    hashKeyOf: (runId: string) => cells.openStoreOf(runId)?.hashKey,
    cellOf: (runId: string) => cells.cellOf(runId),
    now: () => one.now?.() ?? Date.now(),
    eachCell: <Answer>(ask: (store: RunStore) => Awaitable<Answer>) => cells.all(ask),
    sealedEnd: one.sealedEnd && (async (runId: string) => (await ofRun(runId)).sealedEnd?.(runId)),
    runsWithSecrets: () => cells.lists((store) => store.runsWithSecrets()),
    close: () => cells.close(),
    ...calledWhere(ofRun, "openRun", "readRun"),

    get leftOut(): ReadonlySet<string> {
      return cells.leftOut;
    },

    get cellsAway(): readonly string[] {
      return cells.leftOutNames;
    },

    async createRun(run: NewRun): Promise<RunLog> {
      const { cell, answer: store } = await cells.forNew(run.runId);
      const log = await store.createRun(run);
      cells.knows(run.runId, cell);
      return log;
    },

    async findRun(idOrPart: string): Promise<string | undefined> {
      const part = partOfId(idOrPart);
      if (part === undefined) return undefined;
      const found = await cells.all((store) => fittingIn(store, part));
      for (const { cell, answer } of found) for (const runId of answer) cells.knows(runId, cell);
      const fitting = found.flatMap(({ answer }) => answer);
      const runId = onlyRun(part, fitting, "the cells");
      if (runId === undefined) cells.requireAll(`No run ${idOrPart} is in the cells that answer`);
      return runId;
    },

    async runs(filter: RunFilter = {}): Promise<readonly StoredRun[]> {
      return merged(await cells.all((store) => store.runs(filter)), filter.limit);
    },

    async newestRun(filter: NewestFilter = {}): Promise<StoredRun | undefined> {
      const newest = await cells.all(async (store) => {
        const run = await store.newestRun(filter);
        return run ? [run] : [];
      });
      return merged(newest, 1)[0];
    },

    async summary(runId: string): Promise<StoredRun | undefined> {
      const run = await (await cells.find(runId))?.summary(runId);
      return run && named(run, cells.cellOf(runId)!);
    },

    async summaries(runIds: readonly string[]): Promise<readonly StoredRun[]> {
      const known = runIds.map((runId) => cells.cellOf(runId));
      // Where all of them are known, no other cell is waited for.
      const among = known.includes(undefined) ? undefined : [...new Set(known.filter((cell) => cell !== undefined))];
      return merged(await cells.all((store) => store.summaries(runIds), among));
    },

    async removeRuns(runIds: readonly string[], failed?: (runId: string, message: string) => void) {
      const gone = new Set(await cells.lists((store) => store.removeRuns(runIds, failed)));
      return runIds.filter((runId) => gone.has(runId));
    },
  } satisfies RunStore;
}

/** Also the ids of several: which run is meant, all cells decide together. */
async function fittingIn(store: RunStore, part: string): Promise<readonly string[]> {
  try {
    const runId = await store.findRun(part);
    return runId === undefined ? [] : [runId];
  } catch (problem) {
    if (problem instanceof AmbiguousRun) return problem.candidates;
    throw problem;
  }
}

/** Opens the store of all cells that an address names. One of them has to answer. */
export async function openCells(address: string, home: string, open: OpenCell): Promise<CellsStore> {
  const cells = new Cells(cellsOf(address), open);
  try {
    return storeOfCells(cells, await cells.any(), home);
  } catch (problem) {
    await cells.close();
    throw problem;
  }
}
