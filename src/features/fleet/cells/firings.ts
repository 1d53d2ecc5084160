// What triggers have fired, over cells: a trigger belongs to one cell, and all that is recorded of it is there. A firing and
// its run are in one cell.
import type { FiringFilter, Firings, NewFiring, TriggerCells, TriggerState } from "../../../storage/firings.ts";
import { StoreError } from "../../../storage/store-error.ts";
import { type Cells, calledWhere } from "./cells.ts";

export function firingsOf(cells: Cells): Firings {
  const ofTrigger = async (trigger: string): Promise<Firings> => (await cells.ofName(trigger)).state.firings;
  const find = async (runId: string): Promise<Firings | undefined> => {
    const known = cells.cellOf(runId);
    if (known !== undefined) return (await cells.store(known)).state.firings;
    const all = await cells.all(async ({ state: { firings } }) => ((await firings.get(runId)) ? firings : undefined));
    const has = all.find(({ answer }) => answer);
    if (has) cells.knows(runId, has.cell);
    return has?.answer;
  };
  const its = async (runId: string): Promise<Firings> => {
    const firings = await find(runId);
    if (!firings) throw new StoreError("missing", `No cell that answers has the firing of the run ${runId}.`, runId);
    return firings;
  };
  const everywhere: Firings = {
    record: (firing) => recordIn(cells, firing.cell ?? cells.nameFor(firing.trigger), firing),
    get: async (runId) => (await find(runId))?.get(runId),
    list: (filter) => listOf(cells, cells.names, filter),
    claim: async (runId, owner) => (await find(runId))?.claim(runId, owner) ?? false,
    ...calledWhere(its, "release", "wait", "goOn", "settle"),
    ...calledWhere(ofTrigger, "state", "setPaused", "hinder", "see", "takeBack"),
    expire: async (before, now) =>
      (await cells.answers(({ state }) => state.firings.expire(before, now))).reduce((all, gone) => all + gone, 0),
  };
  return { ...everywhere, cells: triggerCells(cells, everywhere) };
}

function triggerCells(cells: Cells, everywhere: Firings): TriggerCells {
  const parts = new Map<string, Firings>();
  const asking = new Map<string, Promise<Firings | undefined>>();
  const reached = async (cell: string): Promise<Firings | undefined> => {
    const [answer] = await cells.all(
      async ({ state: { firings } }) => {
        // Any question: a database that is away does not answer it.
        await firings.state("");
        return firings;
      },
      [cell],
    );
    if (!answer) return undefined;
    const part = parts.get(cell) ?? partOf(cells, everywhere, cell, answer.answer);
    parts.set(cell, part);
    return part;
  };
  return {
    names: cells.names,
    ofName: (trigger) => cells.nameFor(trigger),
    within(cell) {
      // For many triggers at once it is asked once.
      const answer = asking.get(cell) ?? reached(cell).finally(() => asking.delete(cell));
      asking.set(cell, answer);
      return answer;
    },
  };
}

/** What is asked by the id of a run is asked everywhere: a run that ended may be of another cell. */
function partOf(cells: Cells, everywhere: Firings, name: string, own: Firings): Firings {
  const looked = new Set<string>();
  /** Once for each trigger and process. */
  const bringHere = async (triggers: readonly string[]): Promise<void> => {
    const fresh = triggers.filter((trigger) => !looked.has(trigger));
    if (fresh.length === 0) return;
    await bringStates(cells, { name, own }, fresh);
    for (const trigger of fresh) looked.add(trigger);
  };
  return {
    ...everywhere,
    record: (firing) => recordIn(cells, firing.cell ?? name, firing),
    list: (filter) => listOf(cells, [name], filter),
    async state(trigger) {
      await bringHere([trigger]);
      return own.state(trigger);
    },
    together: {
      async states(triggers) {
        await bringHere(triggers);
        return statesOf(own, triggers);
      },
      see: async (triggers, until) => own.together?.see(triggers, until),
    },
    async setPaused(trigger, ...rest) {
      await bringHere([trigger]);
      return own.setPaused(trigger, ...rest);
    },
    hinder: async (trigger, why) => own.hinder?.(trigger, why),
    see: (trigger, until) => own.see(trigger, until),
    takeBack: (trigger, until, now) => own.takeBack(trigger, until, now),
    expire: (before, now) => own.expire(before, now),
  };
}

/**
 * A trigger may have belonged to another cell: its `cell` or the list of cells has changed, or an older Segno kept its state
 * where its name hashes to. What was looked after there is not fired again here, and one that was paused stays so.
 */
async function bringStates(
  cells: Cells,
  { name, own }: { readonly name: string; readonly own: Firings },
  triggers: readonly string[],
): Promise<void> {
  const here = await statesOf(own, triggers);
  const others = await cells.all(
    ({ state }) => statesOf(state.firings, triggers),
    cells.names.filter((cell) => cell !== name),
  );
  for (const trigger of triggers) {
    const states = others.flatMap(({ answer }) => answer.get(trigger) ?? []);
    const newest = states.sort((a, b) => (b.seenUntil ?? 0) - (a.seenUntil ?? 0))[0];
    if (!newest || newest.seenUntil === null) continue;
    const known = here.get(trigger);
    if (!known && newest.paused)
      await own.setPaused(trigger, true, newest.pausing?.at ?? newest.seenUntil, newest.pausing?.by);
    if (newest.seenUntil > (known?.seenUntil ?? 0)) await own.see(trigger, newest.seenUntil);
  }
}

const statesOf = async (
  { together }: Firings,
  triggers: readonly string[],
): Promise<ReadonlyMap<string, TriggerState>> => (await together?.states(triggers)) ?? new Map();

async function recordIn(cells: Cells, cell: string, firing: NewFiring) {
  const made = await (await cells.store(cell)).state.firings.record(firing);
  cells.knows(made.firing.runId, cell);
  return made;
}

/** Remembers where they are: a command on one of them asks no other cell. */
async function listOf(cells: Cells, among: readonly string[], filter: FiringFilter = {}) {
  const answers = await cells.all(({ state }) => state.firings.list(filter), among);
  for (const { cell, answer } of answers) for (const { runId } of answer) cells.knows(runId, cell);
  const all = answers.flatMap(({ answer }) => answer);
  const newest = filter.order !== "oldest";
  return all.sort((a, b) => (a.firedAt < b.firedAt === newest ? 1 : -1)).slice(0, filter.limit);
}
