// Several stores as one: each run is in one cell, lists are those of all cells together, and a cell that is away is missing
// from them by name.
import { join } from "node:path";
import type { Awaitable } from "../../engine/awaitable.ts";
import type { Fleet } from "../fleet.ts";
import { onlyRun, partOfId } from "../run-id.ts";
import type { RunFilter } from "../run-index.ts";
import type { RunLog } from "../run-log.ts";
import type { RunReader } from "../run-reader.ts";
import type { SharedState } from "../shared-state.ts";
import type { NewestFilter, NewRun, OfCell, OpenOptions, RunStore, SealedEnd, StoredRun } from "../store.ts";
import { AmbiguousRun } from "../store-error.ts";
import { cellsOf } from "./address.ts";
import { type CellStore, Cells, type OpenCell } from "./cells.ts";
import { fleetOfCells } from "./fleet.ts";
import { stateOfCells } from "./state.ts";

export class CellsStore implements RunStore {
  readonly state: SharedState;
  readonly fleet: Fleet;
  readonly hashKey: string;
  readonly sealedEnd?: (runId: string) => Promise<SealedEnd | undefined>;

  /** `one` of them, for what is the same in all: the keys that are here, and about the time. */
  constructor(
    private readonly cells: Cells,
    private readonly one: CellStore,
    home: string,
  ) {
    this.hashKey = one.hashKey;
    this.state = stateOfCells(cells);
    this.fleet = fleetOfCells(cells, one, join(home, "runs"));
    if (one.sealedEnd) this.sealedEnd = async (runId) => (await cells.of(runId)).sealedEnd?.(runId);
  }

  hashKeyOf(runId: string): string | undefined {
    return this.cells.openStoreOf(runId)?.hashKey;
  }

  get leftOut(): ReadonlySet<string> {
    return this.cells.leftOut;
  }

  get cellsAway(): readonly string[] {
    return this.cells.leftOutNames;
  }

  cellOf(runId: string): string | undefined {
    return this.cells.cellOf(runId);
  }

  now(): number {
    return this.one.now?.() ?? Date.now();
  }

  async createRun(run: NewRun): Promise<RunLog> {
    const { cell, answer: store } = await this.cells.forNew(run.runId);
    const log = await store.createRun(run);
    this.cells.knows(run.runId, cell);
    return log;
  }

  async openRun(runId: string, options?: OpenOptions): Promise<RunLog> {
    return (await this.cells.of(runId)).openRun(runId, options);
  }

  async readRun(runId: string): Promise<RunReader> {
    return (await this.cells.of(runId)).readRun(runId);
  }

  async findRun(idOrPart: string): Promise<string | undefined> {
    const part = partOfId(idOrPart);
    if (part === undefined) return undefined;
    const found = await this.cells.all(async (store) => fittingIn(store, part));
    for (const { cell, answer } of found) for (const runId of answer) this.cells.knows(runId, cell);
    const runId = onlyRun(
      part,
      found.flatMap(({ answer }) => answer),
      "the cells",
    );
    if (runId === undefined) this.cells.requireAll(`No run ${idOrPart} is in the cells that answer`);
    return runId;
  }

  async runs(filter: RunFilter = {}): Promise<readonly StoredRun[]> {
    return this.#merged(await this.cells.all((store) => store.runs(filter)), filter.limit);
  }

  eachCell<Answer>(ask: (store: RunStore) => Awaitable<Answer>): Promise<readonly OfCell<Answer>[]> {
    return this.cells.all(ask);
  }

  async newestRun(filter: NewestFilter = {}): Promise<StoredRun | undefined> {
    const newest = await this.cells.all(async (store) => {
      const run = await store.newestRun(filter);
      return run ? [run] : [];
    });
    return this.#merged(newest, 1)[0];
  }

  /** Newest first: the ids of runs go by time. */
  #merged(answers: readonly OfCell<readonly StoredRun[]>[], limit = Number.POSITIVE_INFINITY): readonly StoredRun[] {
    const runs = answers.flatMap(({ cell, answer }) => answer.map((run) => this.#named(run, cell)));
    return runs.sort((a, b) => (a.runId < b.runId ? 1 : -1)).slice(0, limit);
  }

  #named(run: StoredRun, cell: string): StoredRun {
    this.cells.knows(run.runId, cell);
    return { ...run, cell };
  }

  async summary(runId: string): Promise<StoredRun | undefined> {
    const run = await (await this.cells.find(runId))?.summary(runId);
    return run && this.#named(run, this.cells.cellOf(runId)!);
  }

  async summaries(runIds: readonly string[]): Promise<readonly StoredRun[]> {
    const cells = runIds.map((runId) => this.cells.cellOf(runId));
    // Where all of them are known, no other cell is waited for.
    const among = cells.includes(undefined) ? undefined : [...new Set(cells.filter((cell) => cell !== undefined))];
    return this.#merged(await this.cells.all((store) => store.summaries(runIds), among));
  }

  async removeRuns(
    runIds: readonly string[],
    failed?: (runId: string, message: string) => void,
  ): Promise<readonly string[]> {
    const gone = new Set(await this.cells.lists((store) => store.removeRuns(runIds, failed)));
    return runIds.filter((runId) => gone.has(runId));
  }

  runsWithSecrets(): Promise<readonly string[]> {
    return this.cells.lists((store) => store.runsWithSecrets());
  }

  close(): Promise<void> {
    return this.cells.close();
  }
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
    return new CellsStore(cells, await cells.any(), home);
  } catch (problem) {
    await cells.close();
    throw problem;
  }
}
