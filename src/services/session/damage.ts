// A journal that was edited by hand or changed by its disk: the rows can be read, but their contents are invalid. A
// drive parses nothing on the way, so damage is looked for only after another error, and reported instead of it.
import type { RunEvent } from "../../base/events/registry.ts";
import type { RunReader } from "../../storage/run-reader.ts";
import type { RunStore } from "../../storage/store.ts";
import { StoreError } from "../../storage/store-error.ts";
import { Refused } from "../refusals.ts";
import type { Session } from "./session.ts";

/** Does something with a run. What fails because of the run's own record is said to be that. */
export async function orDamaged<Answer>(store: RunStore, runId: string, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (problem) {
    if (!(problem instanceof TypeError || problem instanceof RangeError) || problem instanceof Refused) throw problem;
    throw (await damageOf(store, runId)) ?? problem;
  }
}

async function damageOf(store: RunStore, runId: string): Promise<StoreError | undefined> {
  const reader = await store.readRun(runId);
  try {
    const isWhole = await wholeness();
    for await (const event of reader.events()) if (!isWhole(event)) return damaged(reader, event);
    return undefined;
  } finally {
    await reader.close();
  }
}

export async function wholeness(): Promise<(event: RunEvent) => boolean> {
  const { EVENTS } = await import("../../base/events/registry.ts");
  return ({ type, data }) => {
    const known = Object.hasOwn(EVENTS, type) ? EVENTS[type] : undefined;
    // One of a newer version, perhaps.
    return known === undefined || known.data.safeParse(data).success;
  };
}

export const damaged = ({ runId, folder }: Pick<RunReader, "runId" | "folder">, { seq, type }: RunEvent): StoreError =>
  new StoreError(
    "corrupt",
    `Event ${seq} of run ${runId} (${type}) is not what Segno wrote: the journal in ${folder} was damaged or edited. The run can be read and resumed no further.`,
    folder,
  );

/**
 * Of many runs: an entry that cannot be read is left out and named (`what`), and hides none of the others. The message
 * about a damaged run names the run itself.
 */
export async function skipUnreadable<Item, Entry>(
  { leftOut }: Pick<Session, "leftOut">,
  items: readonly Item[],
  what: (item: Item) => string,
  read: (item: Item) => Promise<Entry>,
): Promise<readonly Entry[]> {
  const said = new Set<string>();
  const found = (await Promise.allSettled(items.map(read))).flatMap((entry, at) => {
    if (entry.status === "fulfilled") return [entry.value];
    const reason: unknown = entry.reason;
    const why = reason instanceof Error ? reason.message : String(reason);
    const namesIt = reason instanceof StoreError && reason.code === "corrupt";
    said.add(namesIt ? `Left out what belongs to it: ${why}` : `Left out: ${what(items[at] as Item)}. ${why}`);
    return [];
  });
  for (const message of said) leftOut?.(message);
  return found;
}
