// What a fleet's runs are sealed with, what is here, and whether the two fit: a variable that is set says nothing of a fleet
// that does not use it.
import type { Fleet } from "../../hosts/fleet.ts";

const NAME = "fleet.seal";

interface Seals {
  readonly fleet: Fleet;
  /** How many runs need each key. */
  readonly inUse: ReadonlyMap<string, number>;
  readonly inClear: number;
  /** Of each worker that is there and says it: the keys it reads with. */
  readonly workers: readonly (readonly string[])[];
  readonly takesFromHere: boolean;
}

export async function checkSeal(fleet: Fleet): Promise<Check> {
  const seals: Seals = {
    fleet,
    inUse: await fleet.keysInUse(),
    inClear: await fleet.runsInClear(),
    workers: (await fleet.workers()).flatMap(({ keys }) => (keys ? [keys] : [])),
    takesFromHere: await fleet.takesFromHere(),
  };
  return fleet.sealedWith === null ? withoutKey(seals) : withKey(seals, fleet.sealedWith);
}

const notReady = (message: string): Check => ({ ...good(NAME, message), ready: false });

const runs = (count: number, one: string, many: string): string =>
  count === 0 ? `no run ${one}` : count === 1 ? `1 run ${one}` : `${count} runs ${many}`;

function withoutKey({ inUse, inClear, workers, takesFromHere }: Seals): Check {
  const sealed = [...inUse].map(([key, count]) => `${runs(count, "is", "are")} sealed with the key ${key}`);
  const areSealing = workers.some((keys) => keys.length > 0);
  if (takesFromHere && sealed.length === 0 && !areSealing)
    return notReady(
      `SEGNO_SEAL_KEY is not set: what runs record stands in the database in clear (${runs(inClear, "does", "do")}), and runs with secret inputs are refused`,
    );
  const there = [
    ...sealed,
    runs(inClear, "is in clear", "are in clear"),
    ...(areSealing
      ? [`${workers.filter((keys) => keys.length > 0).length} of ${workers.length} workers have a key`]
      : []),
  ].join("; ");
  const message = `SEGNO_SEAL_KEY is not set here, and what is sealed cannot be read: ${there}`;
  return takesFromHere
    ? notReady(message)
    : broken(NAME, `${message}. Nothing can be placed from here. Set it to the key that the workers have`);
}

function withKey({ fleet, inUse, inClear, workers, takesFromHere }: Seals, own: string): Check {
  const { keysHere } = fleet;
  const others = [...new Set([...keysHere, ...inUse.keys()])].filter((key) => key !== own);
  const isMissing = others.some((key) => !keysHere.includes(key));
  const having = workers.filter((keys) => keys.includes(own)).length;
  const message = [
    `${runs(inUse.get(own) ?? 0, "is", "are")} sealed with the SEGNO_SEAL_KEY that is here (key ${own})`,
    // While keys are changed: until when the old one has to stay.
    ...others.map((key) => {
      const place = keysHere.includes(key) ? "behind it" : "not there";
      return `${runs(inUse.get(key) ?? 0, "needs", "need")} the key ${key}, which is ${place}`;
    }),
    ...(inClear === 0 ? [] : [`${runs(inClear, "is", "are")} in clear and cannot be read with a key`]),
    ...(workers.length === 0 ? [] : [`${having} of ${workers.length} workers ${having === 1 ? "has" : "have"} it`]),
  ].join("; ");
  if (!takesFromHere)
    return broken(
      NAME,
      `${message}. Nothing can be placed from here: ${
        others.some((key) => inUse.has(key))
          ? "neither its runs nor its workers know a key that is here. Set one that they have; a new one goes before it, with a comma between"
          : "this fleet has no key, and all that it records is in clear. Leave SEGNO_SEAL_KEY unset, or give the fleet this key first"
      }`,
    );
  if (workers.length > 0 && having === 0)
    return notReady(`${message}: what is placed from here waits for one that has`);
  return isMissing ? notReady(message) : good(NAME, message);
}

/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  /** False when something is broken: it would keep runs from working. */
  readonly ok: boolean;
  readonly message: string;
  /** False: it could not be used, and nothing that was asked about needs it. */
  readonly ready?: boolean;
}

export const good = (name: string, message: string): Check => ({ name, ok: true, message });
export const broken = (name: string, message: string): Check => ({ name, ok: false, message });
