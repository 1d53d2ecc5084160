// What runs share, over cells: it stays within a cell. What belongs to a run is in the run's cell, what has a name in the cell
// of that name, and lists are those of all.
import type { IndexChanges, RunFilter, RunIndex } from "../../../storage/run-index.ts";
import {
  type Gates,
  type Letter,
  type LetterFilter,
  type Letters,
  type NamedStates,
  NO_RUN,
  type SharedState,
} from "../../../storage/shared-state.ts";
import { type CellStore, type Cells, calledWhere } from "./cells.ts";
import { firingsOf } from "./firings.ts";

export function stateOfCells(cells: Cells): SharedState {
  const stateOf = async (runId: string): Promise<SharedState> => (await cells.of(runId)).state;
  const gatesOf = async (runId: string): Promise<Gates> => (await stateOf(runId)).gates;
  const named = async (name: string): Promise<SharedState> => (await cells.ofName(name)).state;
  return {
    runs: indexOf(cells),
    breakers: namedStates(cells, "breakers"),
    limits: namedStates(cells, "limits"),
    letters: lettersOf(cells),
    cache: calledWhere(async (hash) => (await named(hash)).cache, "get", "put"),
    gates: {
      ...calledWhere(
        gatesOf,
        "present",
        "answer",
        "get",
        "answered",
        "answerTo",
        "settle",
        "counted",
        "withdraw",
        "forget",
      ),
      asking: () => cells.lists((store) => store.state.gates.asking()),
      async pending(runId) {
        if (runId !== undefined) return (await gatesOf(runId)).pending(runId);
        const all = await cells.lists((store) => store.state.gates.pending());
        return all.sort((a, b) => (a.presented < b.presented ? -1 : 1));
      },
    },
    slots: {
      acquire: async (scope, max, owner) => (await named(scope)).slots.acquire(scope, max, owner),
      release: async (slot) => (await named(slot.scope)).slots.release(slot),
      async taken(scope) {
        const [store, own] = await within(cells, scope);
        return store.state.slots.taken(own);
      },
    },
    running: {
      begin: async (step, runId, ...rest) => (await stateOf(runId)).running.begin(step, runId, ...rest),
      end: async (step, runId, ...rest) => (await stateOf(runId)).running.end(step, runId, ...rest),
      clear: async (runId) => (await stateOf(runId)).running.clear(runId),
    },
    liveness: {
      self: async () => (await cells.any()).state.liveness.self(),
      isAlive: async (owner) => (await cells.answers((store) => store.state.liveness.isAlive(owner))).some(Boolean),
      holderIsAlive: async (holder, now) =>
        (await cells.answers((store) => store.state.liveness.holderIsAlive(holder, now))).some(Boolean),
    },
    firings: firingsOf(cells),
  };
}

const indexOf = (cells: Cells): RunIndex => ({
  get: async (runId) => (await cells.find(runId))?.state.runs.get(runId),
  async list(filter: RunFilter = {}) {
    const all = await cells.lists((store) => store.state.runs.list(filter));
    return all.sort((a, b) => (a.runId < b.runId ? 1 : -1)).slice(0, filter.limit);
  },
  async changes(cursor?: string): Promise<IndexChanges> {
    const before = cursor === undefined ? {} : (JSON.parse(cursor) as Record<string, string>);
    const all = await cells.all((store, cell) => store.state.runs.changes(before[cell]));
    const after = Object.fromEntries(all.map(({ cell, answer }) => [cell, answer.cursor]));
    return {
      // Of one that is away, what it had last: when it is back, what changed meanwhile is listed.
      cursor: JSON.stringify({ ...before, ...after }),
      changed: all.flatMap(({ answer }) => answer.changed),
      removed: all.flatMap(({ answer }) => answer.removed),
      // One that was away from the beginning is new, and so is all that it has.
      isLost: all.some(({ cell, answer }) => answer.isLost || (cursor !== undefined && before[cell] === undefined)),
    };
  },
  put: async (run) => (await cells.of(run.runId)).state.runs.put(run),
  remove: async (runId) => (await cells.of(runId)).state.runs.remove(runId),
});

const lastSeenFirst = (a: Pick<Letter, "lastSeen">, b: Pick<Letter, "lastSeen">): number =>
  a.lastSeen < b.lastSeen ? 1 : -1;

const lettersOf = (cells: Cells): Letters => ({
  put: async (letter) =>
    // Of a program without workflows: where its id belongs.
    (await (letter.runId === NO_RUN ? cells.ofName(letter.id) : cells.of(letter.runId))).state.letters.put(letter),
  async get(id) {
    return (await cells.answers((store) => store.state.letters.get(id))).find(Boolean);
  },
  async list(filter: LetterFilter = {}) {
    return (await cells.lists((store) => store.state.letters.list(filter))).sort(lastSeenFirst).slice(0, filter.limit);
  },
  unsettled: async () => (await cells.lists((store) => store.state.letters.unsettled())).sort(lastSeenFirst),
  // Of ids that a cell does not know, nothing becomes there.
  claim: (ids, owner) => cells.lists((store) => store.state.letters.claim(ids, owner)),
  setStatus: (ids, status, act) => cells.lists((store) => store.state.letters.setStatus(ids, status, act)),
  expire: async (olderThan) =>
    (await cells.answers((store) => store.state.letters.expire(olderThan))).reduce((all, gone) => all + gone, 0),
});

/** What lists call `eu/NAME` is in that cell; a name alone has a cell of its own. */
async function within(cells: Cells, name: string): Promise<readonly [CellStore, string]> {
  const [cell = "", ...rest] = name.split("/");
  return rest.length > 0 && cells.names.includes(cell)
    ? [await cells.store(cell), rest.join("/")]
    : [await cells.ofName(name), name];
}

/** A breaker or a limit counts within its cell. */
const namedStates = (cells: Cells, which: "breakers" | "limits"): NamedStates => ({
  async get(name) {
    const [store, own] = await within(cells, name);
    return store.state[which].get(own);
  },
  async update(name, change) {
    const [store, own] = await within(cells, name);
    return store.state[which].update(own, change);
  },
  async list() {
    const all = await cells.all((store) => store.state[which].list());
    return all.flatMap(({ cell, answer }) => answer.map((one) => ({ ...one, name: `${cell}/${one.name}` })));
  },
  async reset(name) {
    const [store, own] = await within(cells, name);
    if (own !== name) return store.state[which].reset(own);
    // Without a cell: wherever there is one of that name.
    return (await cells.answers((each) => each.state[which].reset(name))).some(Boolean);
  },
});
