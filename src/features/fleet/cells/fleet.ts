// The fleets of all cells as one: what concerns a run goes to its cell, and lists are those of all.
import { join } from "node:path";
import { RunCopies } from "../../../storage/files/run-copies.ts";
import type { Fleet, PlacedDrive } from "../../../storage/fleet.ts";
import type { OfCell } from "../../../storage/store.ts";
import { StoreError } from "../../../storage/store-error.ts";
import { type CellStore, type Cells, calledWhere } from "./cells.ts";

/** `one` of them: the same keys are here for all. */
export function fleetOfCells(cells: Cells, { fleet: { sealedWith, keysHere } }: CellStore, folder: string): Fleet {
  const ofRun = async (runId: string): Promise<Fleet> => (await cells.of(runId)).fleet;
  return {
    sealedWith,
    keysHere,
    filesOf: (runId) => new RunCopies(join(folder, runId)),
    async begin(run, drive) {
      const { runId } = run;
      const { cell, answer: store } =
        (await cellBefore(cells, runId, drive)) ?? (await cells.forNew(drive.cell?.key ?? runId, drive.cell?.name));
      cells.knows(runId, cell);
      await store.fleet.begin(run, drive);
    },
    ...calledWhere(ofRun, "place", "placeAgain", "answer", "standing", "stop"),
    leftBy: async (runIds) => new Map(await cells.lists(async ({ fleet }) => [...(await fleet.leftBy(runIds))])),
    async keysInUse() {
      const sums = new Map<string, number>();
      for (const [key, runs] of await cells.lists(async ({ fleet }) => [...(await fleet.keysInUse())]))
        sums.set(key, (sums.get(key) ?? 0) + runs);
      return sums;
    },
    runsInClear: async () => sum(await cells.answers(({ fleet }) => fleet.runsInClear())),
    takesFromHere: async () => (await cells.answers(({ fleet }) => fleet.takesFromHere())).every(Boolean),
    workers: () => cells.lists(async ({ fleet }, cell) => (await fleet.workers()).map((one) => ({ ...one, cell }))),
    async queue() {
      const all = await cells.answers(({ fleet }) => fleet.queue());
      const oldest = all.map(({ oldestMs }) => oldestMs).filter((ms) => ms !== null);
      return {
        waiting: sum(all.map(({ waiting }) => waiting)),
        delayed: sum(all.map(({ delayed }) => delayed)),
        oldestMs: oldest.length > 0 ? Math.max(...oldest) : null,
      };
    },
    drain: (idOrPrefix) => cells.lists(({ fleet }) => fleet.drain(idOrPrefix)),
  };
}

/** Where the run, or its firing, is: both are in one cell. A run that may be in a cell that is away is not begun elsewhere: it would run twice. */
async function cellBefore(
  cells: Cells,
  runId: string,
  { cell, isOfFiring }: PlacedDrive,
): Promise<OfCell<CellStore> | undefined> {
  if (!isOfFiring && !cell?.isKnownBefore) return undefined;
  const has = async (store: CellStore): Promise<CellStore | undefined> =>
    (await store.findRun(runId)) === runId || (await store.state.firings.get(runId)) !== undefined ? store : undefined;
  const known = cells.cellOf(runId);
  // A cell that is away is not waited for where it is known to be in another.
  const [before] = known === undefined ? [] : await cells.all(has, [known]);
  const there = before?.answer ? before : (await cells.all(has)).find(({ answer }) => answer);
  if (!there?.answer) {
    cells.requireAll(`The run ${runId} is in none of the cells that answer`);
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

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
