// The fleet of `--on`: whether its database can be reached, who drives runs there, and whether what they record is sealed.
import type { Fleet } from "../../hosts/fleet.ts";
import type { RunStore } from "../../hosts/store.ts";
import { type CellAddress, isOfCells } from "../../redact/postgres-address.ts";
import { whyNoWorkerTakesOne } from "../fleet/waiting-run.ts";
import type { Session } from "../session/session.ts";
import { cellsOfFleet, fleetOf, fleetTables, storeFor } from "../session/store.ts";
import { broken, type Check, checkSeal, good } from "./fleet-seal.ts";

/** Nothing is made by who only looks. */
const WITHOUT_TABLES = {
  none: "can be reached, and has no tables of Segno yet: the first placed run or started worker creates them",
  older:
    "can be reached, and has the tables of an older Segno: the next use with this one, such as starting a worker, updates them",
} as const;

/** Nothing when runs are kept on this machine; of a fleet that is made of cells, those of each. */
export async function checkFleet(session: Session): Promise<readonly Check[]> {
  const address = fleetOf(session);
  if (address === undefined || !isOfCells(address)) return checkDatabase(session);
  let cells: readonly CellAddress[];
  try {
    cells = (await cellsOfFleet()).cellsOf(address);
  } catch (problem) {
    return [broken("fleet.cells", problem instanceof Error ? problem.message : String(problem))];
  }
  const checks = await Promise.all(
    cells.map(async ({ name, url, isDraining }) => {
      const own = await checkDatabase({ ...session, fleet: url });
      const named = own.map((check) => ({ ...check, name: check.name.replace("fleet.", `fleet.${name}.`) }));
      return isDraining ? [...named, good(`fleet.${name}.draining`, "it gets no new runs")] : named;
    }),
  );
  return checks.flat();
}

async function checkDatabase(session: Session): Promise<readonly Check[]> {
  let store: RunStore | undefined;
  try {
    const url = fleetOf(session);
    const tables = url === undefined ? "up to date" : await fleetTables(url);
    if (tables !== "up to date") return [{ ...good("fleet.database", WITHOUT_TABLES[tables]), ready: false }];
    store = await storeFor(session);
    if (!store.fleet) return [];
    const workers = await checkWorkers(store, store.fleet);
    return [
      good("fleet.database", "can be reached, and has the tables of this Segno"),
      workers,
      ...[...(store.leftOut ?? [])].map((text) => broken("fleet.rows", text)),
      await checkSeal(store.fleet),
    ];
  } catch (problem) {
    return [broken("fleet.database", problem instanceof Error ? problem.message : String(problem))];
  } finally {
    await store?.close();
  }
}

async function checkWorkers(store: RunStore, fleet: Fleet): Promise<Check> {
  const [workers, { waiting, oldestMs }] = [await fleet.workers(), await fleet.queue()];
  const name = "fleet.workers";
  const waits =
    waiting === 0
      ? "no run waits for one"
      : `${waiting} ${waiting === 1 ? "run waits" : "runs wait"}, the oldest for ${Math.round((oldestMs ?? 0) / 1000)} s`;
  if (workers.length === 0)
    return broken(name, `none is there, and ${waits}. Start \`segno worker\` with this address`);
  const there = `${workers.length} ${workers.length === 1 ? "is" : "are"} there; ${waits}`;
  const why = waiting === 0 ? undefined : await whyNoWorkerTakesOne(store);
  return why === undefined
    ? good(name, there)
    : broken(name, `${there}: ${why.short}. \`segno runs --status queued\` lists them`);
}
