// The store that a session means, and the run in it that a request names. The only place that knows which hosts there are.
import type { Awaitable } from "../../base/awaitable.ts";
import { pathWithin } from "../../base/errors/path-within.ts";
import { isOfCells } from "../../base/redact/postgres-address.ts";
import { COMMAND_LINE, type ListHead, type Reader } from "../../base/results/index.ts";
import type { WorkerHost } from "../../features/fleet/postgres/worker-host.ts";
import { type HostClock, realClock } from "../../storage/clock.ts";
import { openStore } from "../../storage/embedded/store.ts";
import type { RunReader } from "../../storage/run-reader.ts";
import type { RunStore, StoredRun } from "../../storage/store.ts";
import { AmbiguousRun, StoreError } from "../../storage/store-error.ts";
import { type Refused, refusal, UnknownRun } from "../refusals.ts";
import { orDamaged } from "./damage.ts";
import { homeOf, version } from "./home.ts";
import { firingNotBegun, notBegun } from "./not-begun.ts";
import type { Session } from "./session.ts";

/** Of `--on` or SEGNO_ON, else in the home, where nothing is made before the first call. The caller closes it. */
export function storeFor(session: Session): Awaitable<RunStore> {
  const url = fleetOf(session);
  return url === undefined ? openStore(homeOf(session), { version: version() }) : openFleetStore(url, session);
}

export const fleetOf = ({ fleet, env }: Session): string | undefined => fleet || env.SEGNO_ON || undefined;

/** What Postgres needs is loaded for it alone. */
async function openFleetStore(url: string, session: Session): Promise<RunStore> {
  const { openPostgresStore } = await import("../../features/fleet/postgres/store.ts");
  const home = homeOf(session);
  const options = { home, version: version(), sealKey: session.env.SEGNO_SEAL_KEY };
  if (!isOfCells(url)) return openPostgresStore(url, options);
  const { openCells } = await import("../../features/fleet/cells/store.ts");
  return openCells(url, home, (cell, signal) => openPostgresStore(cell.url, { ...options, signal }));
}

/** What a fleet's address names, when it is made of cells; and of these, the one that a worker serves. */
export const cellsOfFleet = () => import("../../features/fleet/cells/address.ts");

/** Which tables a fleet's database has: opening it makes those that are missing. */
export const fleetTables = async (url: string): Promise<"up to date" | "older" | "none"> =>
  (await import("../../features/fleet/postgres/store.ts")).tablesAt(url);

/** Who starts workers; loaded for them alone. */
export const workerHost = async (): Promise<WorkerHost> =>
  (await import("../../features/fleet/postgres/queue/worker.ts")).postgresWorkers;

export async function withStore<Answer>(
  session: Session,
  use: (store: RunStore) => Awaitable<Answer>,
): Promise<Answer> {
  const store = await storeFor(session);
  try {
    return await use(store);
  } finally {
    for (const text of store.leftOut ?? []) session.leftOut?.(text);
    if (store.now) session.storeTime?.(store.now());
    await store.close();
  }
}

/** What a list says when cells of the store did not answer; nothing when it is whole. Asked after the list was read. */
export const incompleteOf = ({ cellsAway = [] }: Pick<RunStore, "cellsAway">): Pick<ListHead, "incomplete"> =>
  cellsAway.length === 0 ? {} : { incomplete: { cells: [...cellsAway] } };

export interface RunNamed {
  /** The id of a run, or a beginning or end of it that only one has; left out: the newest of a file below `cwd`. */
  readonly run?: string;
}

export const withReader = <Answer>(
  session: Session,
  request: RunNamed,
  use: (reader: RunReader, store: RunStore) => Awaitable<Answer>,
): Promise<Answer> => withStore(session, async (store) => reading(store, await namedRun(store, session, request), use));

export async function reading<Answer>(
  store: RunStore,
  runId: string,
  use: (reader: RunReader, store: RunStore) => Awaitable<Answer>,
): Promise<Answer> {
  const reader = await store.readRun(runId);
  try {
    return await orDamaged(store, runId, async () => use(reader, store));
  } finally {
    await reader.close();
  }
}

export interface HeldRun {
  readonly runId: string;
  letGo(): Awaitable<void>;
}

/**
 * Keeps a journal open until it is opened to be driven. It is read several times before that, and each reader that closes
 * it as its last user would carry its log over into it, which takes longer than all that is read.
 */
export async function heldOpen(store: RunStore, runId: string): Promise<HeldRun> {
  if (store.fleet) return { runId, letGo() {} };
  let reader: RunReader | undefined;
  try {
    reader = await store.readRun(runId);
  } catch {
    // Said by those who need what is in it.
  }
  return {
    runId,
    letGo() {
      const open = reader;
      reader = undefined;
      return open?.close();
    },
  };
}

/** `isShown`: whether the caller may see runs of that file; where several runs match, only such ones are named. */
export async function namedRun(
  store: RunStore,
  { reader, cwd }: Session,
  { run }: RunNamed,
  isShown?: (file: string) => boolean,
): Promise<string> {
  if (run === undefined) return newestBelow(store, cwd, reader);
  const runId = await findRun(store, run, isShown);
  if (!runId) {
    const firing = await firingNotBegun(store, run);
    throw firing ? notBegun(firing, reader) : new UnknownRun(run, reader);
  }
  return runId;
}

/** The time by which a store's own times are to be read: of a fleet its database's, whatever the clock here says. */
export const nowOf = (store: Pick<RunStore, "now">, here: number = Date.now()): number => store.now?.() ?? here;

export const clockOfStore = (store: Pick<RunStore, "now">): HostClock =>
  store.now ? { ...realClock, now: () => store.now!() } : realClock;

const SHOWN = 10;

/** Nothing when there is none. `isShown`: whether the caller may see runs of that file. */
export async function findRun(
  store: RunStore,
  named: string,
  isShown: (file: string) => boolean = () => true,
): Promise<string | undefined> {
  try {
    return await store.findRun(named);
  } catch (problem) {
    if (!(problem instanceof AmbiguousRun)) {
      const isTooShort = problem instanceof StoreError && problem.code === "ambiguous";
      throw isTooShort ? refusal(problem.message, { errorType: "AmbiguousRun" }) : problem;
    }
    const shown: StoredRun[] = [];
    for (const runId of problem.candidates) {
      const run = await store.summary(runId);
      if (run && isShown(run.file)) shown.push(run);
      // There may be thousands, and each is a question to the store.
      if (shown.length > SHOWN) break;
    }
    if (shown.length < 2) return shown[0]?.runId;
    throw severalFit(named, shown);
  }
}

function severalFit(named: string, runs: readonly StoredRun[]): Refused {
  const lines = runs.slice(0, SHOWN).map((run) => {
    const status = run.crashed ? "crashed" : run.status;
    return `${run.runId} (${run.workflow}, ${status}, ${run.started})`;
  });
  const more = runs.length > SHOWN ? ["and more"] : [];
  return refusal(`several runs fit ${named}: ${[...lines, ...more].join("; ")}. Give more of the id.`, {
    errorType: "AmbiguousRun",
    suggestions: runs.slice(0, SHOWN).map(({ runId }) => runId),
  });
}

export const isRunBelow = ({ file }: Pick<StoredRun, "file">, folder: string): boolean =>
  pathWithin(folder, file) !== undefined;

export const canBeResumed = ({ resumable, status, crashed, waits }: StoredRun): boolean =>
  resumable && !waits && (status !== "running" || crashed);

async function newestBelow(store: RunStore, folder: string, reader: Reader = COMMAND_LINE): Promise<string> {
  const runs = await store.runs();
  const newest = runs.find((run) => isRunBelow(run, folder));
  if (newest) return newest.runId;
  const [elsewhere] = runs;
  throw refusal(
    elsewhere
      ? `no run of a file below ${folder} is there; the newest elsewhere is ${elsewhere.runId}, of ${elsewhere.file}. To see that one: ${reader.ask({ to: "show", run: elsewhere.runId })}`
      : "there is no run yet",
  );
}
