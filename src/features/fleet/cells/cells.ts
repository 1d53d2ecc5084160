// The cells of a store. All are asked at once; one that does not answer within two seconds is left out and named. A run
// is looked for in all cells, and its cell is remembered.
import { createHash } from "node:crypto";
import type { Awaitable } from "../../../base/awaitable.ts";
import type { CellAddress } from "../../../base/redact/postgres-address.ts";
import type { Firings } from "../../../storage/firings.ts";
import type { Fleet } from "../../../storage/fleet.ts";
import type { SharedState } from "../../../storage/shared-state.ts";
import type { OfCell, RunStore } from "../../../storage/store.ts";
import { StoreError } from "../../../storage/store-error.ts";

const PATIENCE_MS = 2000;
/** For so long after that a cell is not waited for again: a list that is asked for often would be slow each time. */
const REST_MS = 5000;

const MOST_KNOWN = 100_000;

/** Each is the store of a fleet. */
export interface CellStore extends RunStore {
  readonly fleet: Fleet;
  readonly state: SharedState & { readonly firings: Firings };
}

/** The signal ends the waiting for a database that is away. */
export type OpenCell = (cell: CellAddress, signal: AbortSignal) => Promise<CellStore>;

type Call = (...given: readonly unknown[]) => unknown;

/** Methods that are called where their first argument belongs: the id of a run, the name of a trigger. */
export const calledWhere = <Table extends object, Name extends keyof Table & string>(
  tableOf: (first: string) => Promise<Table>,
  ...names: readonly Name[]
): Pick<Table, Name> => {
  const called =
    (name: Name) =>
    async (first: string, ...rest: readonly unknown[]) =>
      ((await tableOf(first)) as Record<string, Call>)[name]?.(first, ...rest);
  return Object.fromEntries(names.map((name) => [name, called(name)])) as unknown as Pick<Table, Name>;
};

interface Opened extends CellAddress {
  store?: Promise<CellStore>;
  /** The same once it is open. */
  opened?: CellStore;
  awayUntil: number;
}

export class Cells {
  readonly #cells: readonly Opened[];
  readonly #closing = new AbortController();
  readonly #known = new Map<string, string>();
  /** What could not be asked, in sentences. */
  readonly leftOut = new Set<string>();

  constructor(
    cells: readonly CellAddress[],
    private readonly open: OpenCell,
  ) {
    this.#cells = cells.map((cell) => ({ ...cell, awayUntil: 0 }));
  }

  get names(): readonly string[] {
    return this.#cells.map(({ name }) => name);
  }

  /** The store of a cell; waits for it as long as one waits for a database. */
  store(name: string): Promise<CellStore> {
    return this.#storeOf(this.#cell(name));
  }

  #cell(name: string): Opened {
    const cell = this.#cells.find((one) => one.name === name);
    if (!cell) throw new StoreError("missing", `There is no cell ${name}; there are ${this.names.join(", ")}.`, name);
    return cell;
  }

  #storeOf(cell: Opened): Promise<CellStore> {
    cell.store ??= this.open(cell, this.#closing.signal).then(
      (store) => {
        cell.opened = store;
        return store;
      },
      (problem: unknown) => {
        // The next call tries again.
        delete cell.store;
        throw problem;
      },
    );
    return cell.store;
  }

  /** Asks all of them at once. Those that do not answer in time are left out, and named in `leftOut`. */
  async all<Answer>(
    ask: (store: CellStore, cell: string) => Awaitable<Answer>,
    among: readonly string[] = this.names,
  ): Promise<readonly OfCell<Answer>[]> {
    const answers = await Promise.all(among.map((name) => this.#asked(this.#cell(name), ask)));
    return answers.filter((answer) => answer !== undefined);
  }

  /** The same where it makes no difference which cell says what. */
  async answers<Answer>(ask: (store: CellStore, cell: string) => Awaitable<Answer>): Promise<readonly Answer[]> {
    return (await this.all(ask)).map(({ answer }) => answer);
  }

  async lists<Item>(ask: (store: CellStore, cell: string) => Awaitable<readonly Item[]>): Promise<Item[]> {
    return (await this.answers(ask)).flat() as Item[];
  }

  async #asked<Answer>(
    cell: Opened,
    ask: (store: CellStore, cell: string) => Awaitable<Answer>,
  ): Promise<OfCell<Answer> | undefined> {
    if (Date.now() < cell.awayUntil) return undefined;
    const answering = this.#storeOf(cell).then((store) => ask(store, cell.name));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS, "late");
    });
    try {
      const answer = await Promise.race([answering, late]);
      if (answer !== "late") {
        this.#isBack(cell);
        return { cell: cell.name, answer };
      }
      // When it comes after all, the cell is there again.
      answering.then(
        () => this.#isBack(cell),
        () => {},
      );
    } catch (problem) {
      // Anything but a database that is away is an error of what was asked.
      if (!isAway(problem)) throw problem;
    } finally {
      clearTimeout(timer);
    }
    cell.awayUntil = Date.now() + REST_MS;
    this.leftOut.add(awayText(cell.name));
    return undefined;
  }

  #isBack(cell: Opened): void {
    cell.awayUntil = 0;
    this.leftOut.delete(awayText(cell.name));
  }

  /** The names of those that are in `leftOut`: also when their rest is over, until they have answered. */
  get leftOutNames(): readonly string[] {
    return this.names.filter((name) => this.leftOut.has(awayText(name)));
  }

  get away(): readonly string[] {
    return this.#cells.filter(({ awayUntil }) => Date.now() < awayUntil).map(({ name }) => name);
  }

  /** One that is open, for what is the same in all of them. */
  async any(): Promise<CellStore> {
    const [first] = await this.answers((store) => store);
    if (first) return first;
    throw new StoreError("io", `None of the cells answers: ${this.names.join(", ")}.`, "cells");
  }

  /** The cell of a new run: the one that it names, else by its key over those that answer and take runs. */
  async forNew(key: string, wanted?: string): Promise<OfCell<CellStore>> {
    if (wanted !== undefined) {
      const cell = this.#cell(wanted);
      if (cell.isDraining)
        throw new StoreError("io", `The cell ${wanted} takes no new runs: it is being drained.`, wanted);
      return { cell: wanted, answer: await this.#storeOf(cell) };
    }
    const answering = await this.all((store) => store.fleet.takesFromHere().then(() => store));
    const taking = answering.filter(({ cell }) => !this.#cell(cell).isDraining);
    const place = placeOf(
      key,
      taking.map((one) => ({ ...one, name: one.cell })),
    );
    if (place) return place;
    throw new StoreError("io", `None of the cells that take runs answers: ${this.names.join(", ")}.`, "cells");
  }

  /** The cell of what is kept under a name, such as a trigger: the same one also while it is away, since only there it is known what was done. */
  async ofName(name: string): Promise<CellStore> {
    return this.store(this.nameFor(name));
  }

  nameFor(name: string): string {
    const taking = this.#cells.filter(({ isDraining }) => !isDraining);
    return placeOf(name, taking)!.name;
  }

  knows(runId: string, cell: string): void {
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(runId, cell);
  }

  cellOf(runId: string): string | undefined {
    return this.#known.get(runId);
  }

  openStoreOf(runId: string): CellStore | undefined {
    const name = this.#known.get(runId);
    return this.#cells.find((cell) => cell.name === name)?.opened;
  }

  /** The cell that has the run; nothing when none has it. Throws when a cell that is away may have it. */
  async find(runId: string): Promise<CellStore | undefined> {
    const known = this.#known.get(runId);
    if (known !== undefined) return this.store(known);
    const found = await this.all(async (store) => (await store.findRun(runId)) === runId);
    const has = found.find(({ answer }) => answer);
    if (has) {
      this.knows(runId, has.cell);
      return this.store(has.cell);
    }
    this.requireAll(`The run ${runId} is in none of the cells that answer`);
    return undefined;
  }

  /** Throws when a cell is away: then it is not known that something is not there. */
  requireAll(what: string): void {
    const { away } = this;
    if (away.length === 0) return;
    const those = away.length === 1 ? `the cell ${away[0]} does` : `the cells ${away.join(", ")} do`;
    throw new StoreError("io", `${what}, but ${those} not answer. Try again when it can be reached.`, "cells");
  }

  /** The cell that has the run; for what no cell knows, any of them, which says so itself. */
  async of(runId: string): Promise<CellStore> {
    return (await this.find(runId)) ?? this.any();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(
      this.#cells.map(async (cell) => {
        // One that never came is not waited for.
        if (cell.opened) await cell.opened.close();
        else cell.store?.then((store) => store.close()).catch(() => {});
      }),
    );
  }
}

export const awayText = (name: string): string => `the cell ${name} did not answer: what it has is missing here`;

const isAway = (problem: unknown): boolean => problem instanceof StoreError && problem.code === "io";

/** By rendezvous hashing: of N cells one more takes a part of 1/(N+1) from the others, whatever the order of names. */
function placeOf<Place extends { readonly name: string }>(key: string, places: readonly Place[]): Place | undefined {
  let best: { readonly place: Place; readonly weight: bigint } | undefined;
  for (const place of places) {
    const weight = createHash("sha256").update(`${place.name}\n${key}`).digest().readBigUInt64BE();
    if (!best || weight > best.weight) best = { place, weight };
  }
  return best?.place;
}
