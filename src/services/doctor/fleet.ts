// The fleet of `--on`: whether its database can be reached, who drives runs there, and whether what they record is sealed.
import type { Fleet } from "../../hosts/fleet.ts";
import type { RunStore } from "../../hosts/store.ts";
import type { Surroundings } from "../request.ts";
import { storeFor } from "../store.ts";
import { broken, type Check, good } from "./check.ts";

/** Nothing when runs are kept on this machine. */
export async function checkFleet(request: Surroundings): Promise<readonly Check[]> {
  let store: RunStore | undefined;
  try {
    store = await storeFor(request);
    if (!store.fleet) return [];
    const workers = await checkWorkers(store.fleet);
    return [
      good("fleet.database", "can be reached, and has the tables of this Segno"),
      workers,
      ...[...(store.leftOut ?? [])].map((text) => broken("fleet.rows", text)),
      await checkSeal(store.fleet, request.env),
    ];
  } catch (problem) {
    return [broken("fleet.database", problem instanceof Error ? problem.message : String(problem))];
  } finally {
    await store?.close();
  }
}

async function checkWorkers(fleet: Fleet): Promise<Check> {
  const [workers, { waiting, oldestMs }] = [await fleet.workers(), await fleet.queue()];
  const name = "fleet.workers";
  const waits =
    waiting === 0
      ? "no run waits for one"
      : `${waiting} ${waiting === 1 ? "run waits" : "runs wait"}, the oldest for ${Math.round((oldestMs ?? 0) / 1000)} s`;
  if (workers.length === 0)
    return broken(name, `none is there, and ${waits}. Start \`segno worker\` with this address`);
  return good(name, `${workers.length} ${workers.length === 1 ? "is" : "are"} there; ${waits}`);
}

async function checkSeal(fleet: Fleet, { SEGNO_SEAL_KEY }: Surroundings["env"]): Promise<Check> {
  const name = "fleet.seal";
  if (SEGNO_SEAL_KEY) return good(name, `what runs record is encrypted with SEGNO_SEAL_KEY${await otherKeys(fleet)}`);
  return {
    ...good(
      name,
      "SEGNO_SEAL_KEY is not set: what runs record stands in the database in clear, and runs with secret inputs are refused",
    ),
    ready: false,
  };
}

/** While keys are changed: until when the old one has to stay. */
async function otherKeys(fleet: Fleet): Promise<string> {
  const { sealedWith, keysHere } = fleet;
  const inUse = await fleet.keysInUse();
  const others = [...new Set([...keysHere, ...inUse.keys()])].filter((key) => key !== sealedWith);
  const needed = others.map((key) => {
    const runs = inUse.get(key) ?? 0;
    const need = runs === 0 ? "no run needs" : runs === 1 ? "1 run needs" : `${runs} runs need`;
    return `; ${need} the key ${key}, which is ${keysHere.includes(key) ? "behind it" : "not there"}`;
  });
  return needed.length === 0 ? "" : ` (key ${sealedWith})${needed.join("")}`;
}
