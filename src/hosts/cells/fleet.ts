// The fleets of all cells as one: what concerns a run goes to its cell, and lists are those of all.
import { join } from "node:path";
import { RunCopies } from "../files/run-copies.ts";
import type { AnswerTo, Fleet, FleetStanding, LeftBy, PlacedDrive, QueueView, RunFiles, WorkerView } from "../fleet.ts";
import type { Heard } from "../shared-state.ts";
import type { NewRun, OfCell, RunStore } from "../store.ts";
import { StoreError } from "../store-error.ts";
import type { Cells } from "./cells.ts";

export class CellsFleet implements Fleet {
  readonly sealedWith: string | null;
  readonly keysHere: readonly string[];
  readonly #cells: Cells;
  readonly #folder: string;

  constructor(cells: Cells, one: RunStore, folder: string) {
    this.#cells = cells;
    this.#folder = folder;
    this.sealedWith = one.fleet?.sealedWith ?? null;
    this.keysHere = one.fleet?.keysHere ?? [];
  }

  filesOf(runId: string): RunFiles {
    return new RunCopies(join(this.#folder, runId));
  }

  async begin(run: NewRun, drive: PlacedDrive): Promise<void> {
    const { cell, answer: store } =
      (await this.#already(run.runId, drive)) ??
      (await this.#cells.forNew(drive.cell?.key ?? run.runId, drive.cell?.name));
    this.#cells.knows(run.runId, cell);
    await fleetOf(store).begin(run, drive);
  }

  /**
   * Where the run, or its firing, is. A firing and its run are written together, so they are in one cell; and one that may be
   * in a cell that is away is not begun elsewhere: it would run twice.
   */
  async #already(runId: string, { cell, isOfFiring }: PlacedDrive): Promise<OfCell<RunStore> | undefined> {
    if (!isOfFiring && !cell?.isKnownBefore) return undefined;
    const has = async (store: RunStore): Promise<RunStore | undefined> =>
      (await store.findRun(runId)) === runId || (await store.state.firings?.get(runId)) !== undefined
        ? store
        : undefined;
    const known = this.#cells.cellOf(runId);
    // A cell that is away is not waited for where it is known to be in another.
    const [before] = known === undefined ? [] : await this.#cells.all(has, [known]);
    const there = before?.answer ? before : (await this.#cells.all(has)).find(({ answer }) => answer);
    if (!there?.answer) {
      this.#cells.requireAll(`The run ${runId} is in none of the cells that answer`);
      return undefined;
    }
    if (cell?.name !== undefined && cell.name !== there.cell)
      throw new StoreError(
        "io",
        `The workflow wants the cell ${cell.name}, and its trigger fires in ${there.cell}: give the trigger the same \`cell\`.`,
        runId,
      );
    return { cell: there.cell, answer: there.answer };
  }

  async #fleet(runId: string): Promise<Fleet> {
    return fleetOf(await this.#cells.of(runId));
  }

  async place(runId: string, drive: PlacedDrive): Promise<boolean> {
    return (await this.#fleet(runId)).place(runId, drive);
  }

  async placeAgain(runId: string): Promise<boolean> {
    return (await this.#fleet(runId)).placeAgain(runId);
  }

  async answer(runId: string, key: string, given: AnswerTo, drive: PlacedDrive): Promise<Heard> {
    return (await this.#fleet(runId)).answer(runId, key, given, drive);
  }

  async standing(runId: string): Promise<FleetStanding | undefined> {
    return (await this.#fleet(runId)).standing(runId);
  }

  async leftBy(runIds: readonly string[]): Promise<ReadonlyMap<string, readonly LeftBy[]>> {
    const all = await this.#cells.all((store) => fleetOf(store).leftBy(runIds));
    return new Map(all.flatMap(({ answer }) => [...answer]));
  }

  async stop(runId: string): ReturnType<Fleet["stop"]> {
    return (await this.#fleet(runId)).stop(runId);
  }

  async keysInUse(): Promise<ReadonlyMap<string, number>> {
    const sums = new Map<string, number>();
    for (const { answer } of await this.#cells.all((store) => fleetOf(store).keysInUse()))
      for (const [key, runs] of answer) sums.set(key, (sums.get(key) ?? 0) + runs);
    return sums;
  }

  async runsInClear(): Promise<number> {
    return sum((await this.#cells.all((store) => fleetOf(store).runsInClear())).map(({ answer }) => answer));
  }

  async takesFromHere(): Promise<boolean> {
    return (await this.#cells.all((store) => fleetOf(store).takesFromHere())).every(({ answer }) => answer);
  }

  async workers(): Promise<readonly WorkerView[]> {
    const all = await this.#cells.all((store) => fleetOf(store).workers());
    return all.flatMap(({ cell, answer }) => answer.map((worker) => ({ ...worker, cell })));
  }

  async queue(): Promise<QueueView> {
    const all = (await this.#cells.all((store) => fleetOf(store).queue())).map(({ answer }) => answer);
    const oldest = all.map(({ oldestMs }) => oldestMs).filter((ms) => ms !== null);
    return {
      waiting: sum(all.map(({ waiting }) => waiting)),
      delayed: sum(all.map(({ delayed }) => delayed)),
      oldestMs: oldest.length > 0 ? Math.max(...oldest) : null,
    };
  }

  async drain(idOrPrefix: string): Promise<readonly string[]> {
    return (await this.#cells.all((store) => fleetOf(store).drain(idOrPrefix))).flatMap(({ answer }) => answer);
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

function fleetOf({ fleet }: RunStore): Fleet {
  if (!fleet) throw new Error("a cell is the store of a fleet");
  return fleet;
}
