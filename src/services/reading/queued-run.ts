// Says who has a run now: a process, the queue of a fleet, or no process any more. The run's events cannot say: a process
// that died recorded no end, and a queued run has not begun. Also says why a queued run waits, if no worker takes it.
import type { RunState } from "../../base/events/state/state.ts";
import { plainEntry } from "../../base/results/entry.ts";
import type { Result } from "../../base/results/result.ts";
import type { LeftBy, WorkerView } from "../../storage/fleet.ts";
import type { RunMeta, RunReader } from "../../storage/run-reader.ts";
import type { RunStore, StoredRun } from "../../storage/store.ts";
import type { Session } from "../session/session.ts";
import { nowOf } from "../session/store.ts";
import { withOwnName } from "./report.ts";

export interface InQueue {
  /** It waits for a worker. Else it is in the middle of a drive and waits for its own time. */
  readonly isQueued: boolean;
  readonly trouble: string | null;
  readonly sentence: string;
}

/** Nothing of a run that is driven or at rest. */
export async function inQueue(store: RunStore, run: StoredRun | undefined): Promise<InQueue | undefined> {
  if (!store.fleet || !run?.waits) return undefined;
  const { status, waits } = run;
  const trouble = (await whyTheyWait(store, [run]))(run)?.sentence ?? null;
  const patient =
    waits.until === null
      ? "A worker takes it when one is free."
      : `It waits until ${waits.until} and needs no worker until then.`;
  return { isQueued: status === "queued", trouble, sentence: trouble ?? patient };
}

type OwnName = Pick<RunMeta, "workflow" | "file">;

interface Standing {
  readonly state: Pick<RunState, "status">;
  readonly meta: OwnName;
  readonly waiting: InQueue | undefined;
  readonly refused: Result | undefined;
}

/** The result as it is to be shown while the run is in the queue, was refused by the workers, or is cancelled. */
export function resultAtRest(result: Result, { state, meta, waiting, refused }: Standing, session: Session): Result {
  if (waiting) return resultInQueue(result, waiting, meta, session);
  if (refused) return withRefusal(result, refused, meta, session);
  return state.status === "cancelled" ? withOwnName(result, meta, session) : result;
}

/** How the last drive of a run that is in the queue ended counts no more, and it goes on without a resume. */
export function resultInQueue(result: Result, { isQueued, trouble }: InQueue, meta: OwnName, session: Session): Result {
  const about = trouble === null ? [] : [plainEntry({ message: trouble, owner: "environment" })];
  const warned = { ...result, warnings: [...result.warnings, ...about] };
  return isQueued ? withOwnName(asQueued(warned), meta, session) : warned;
}

/** For a caller that placed a drive and does not follow it: placing is success. */
export const placedResult = (result: Result): Result => ({
  ...asQueued(result),
  success: true,
  exit_code: 0,
  artifacts: null,
});

function asQueued({ gates: _, ...result }: Result): Result {
  return {
    ...result,
    status: "queued",
    success: false,
    exit_code: null,
    error: null,
    errors: [],
    gate: null,
    termination: null,
    checkpoint: result.checkpoint && { ...result.checkpoint, failed_node: null, resumable: false, resume: null },
  };
}

export async function refusedDrive({ fleet }: RunStore, runId: string): Promise<Result | undefined> {
  return ((await fleet?.standing(runId))?.refused as Result | null | undefined) ?? undefined;
}

/** A run's result, with why its last drive was refused. Where that was the first, its journal does not even name it. */
export function withRefusal(result: Result, refused: Result, meta: OwnName, session: Session): Result {
  const { errors, exit_code } = refused;
  const error = `no worker could drive it: ${refused.error ?? "for no reason that is known"}`;
  return { ...withOwnName(result, meta, session), status: "failed", success: false, error, errors, exit_code };
}

export async function whoDrives(
  { state, reader }: { readonly state: Pick<RunState, "status">; readonly reader: RunReader },
  store: RunStore,
  now: number = nowOf(store),
) {
  const isUnderway = state.status === "running";
  const holder = isUnderway ? await reader.holder() : undefined;
  const driver = holder && (await store.state.liveness.holderIsAlive(holder, now)) ? holder : null;
  const waiting = driver || !store.fleet ? undefined : await inQueue(store, await store.summary(reader.runId));
  // It has no end, no process drives it, and none will by itself.
  const isCutOff = isUnderway && driver === null && !waiting;
  return { driver, waiting, isCutOff, refused: isCutOff ? await refusedDrive(store, reader.runId) : undefined };
}

export interface DrivingProcess {
  readonly pid: number;
  readonly host: string;
  /** On a fleet: the worker's own name. */
  readonly worker?: string;
}

export const driverName = ({ pid, host, worker }: DrivingProcess): string =>
  worker === undefined ? `pid ${pid} on ${host}` : `worker ${worker}`;

export interface WhyItWaits {
  readonly short: string;
  readonly sentence: string;
}

export interface RunThatWaits {
  /** The id of the key that what is asked of the run is sealed with. */
  readonly sealedWith: string | null;
  readonly leftBy?: readonly LeftBy[];
}

type Worker = Pick<WorkerView, "id" | "keys" | "isDraining">;

export function whyNoWorkerTakesIt(run: RunThatWaits, workers: readonly Worker[]): WhyItWaits | undefined {
  const { sealedWith } = run;
  if (workers.length === 0)
    return {
      short: "no worker is there",
      sentence:
        "No worker is there to take the run. Start one with `segno worker` and the same address (the run waits for it).",
    };
  // One that does not say which keys it has may have this one.
  if (sealedWith !== null && !workers.some(({ keys }) => keys?.includes(sealedWith) ?? true))
    return {
      short: `no worker that is there has its key ${sealedWith}`,
      sentence: `No worker that is there can read the run: it is sealed with the key ${sealedWith}, and their SEGNO_SEAL_KEY is another. Give them this key as well, with a comma between and the newer one in front, or start one that has it (the run waits for it).`,
    };
  if (sealedWith === null && workers.every(({ keys = [] }) => keys.length > 0))
    return {
      short: "it is not sealed, and every worker that is there has a key",
      sentence:
        "The run is not sealed, every worker that is there has a SEGNO_SEAL_KEY, and such workers use nothing that is not sealed. Start a worker without SEGNO_SEAL_KEY if you know who placed the run (it waits for it), or cancel it.",
    };
  const left = leftTo(run, workers);
  if (!left?.isByAll) return undefined;
  return {
    short: `no worker that is there ${left.capability}`,
    sentence: `No worker that is there can take the run: ${left.who}. ${left.todo}; the run waits for it.`,
  };
}

/** The others may be busy, or have the same requirement missing and not have tried the run yet. */
function whoLeftIt(run: RunThatWaits, workers: readonly Worker[]): WhyItWaits | undefined {
  const left = leftTo(run, workers);
  if (!left || left.isByAll) return undefined;
  return {
    short: `not every worker that is there ${left.capability}`,
    sentence: `Not every worker that is there can take the run: ${left.who}. It waits for one of the others to be free. ${left.todo}.`,
  };
}

/** For workers that left a run because of its key: they do not have that key, or have one and the run is not sealed. */
const HAS_NOT_THE_KEY = {
  all: "has its key",
  allAndPlugins: "has its key and its plugins",
  one: "has not the key that it is sealed with",
  todo: "with the key in its SEGNO_SEAL_KEY",
};

const HAS_A_KEY: typeof HAS_NOT_THE_KEY = {
  all: "takes what is not sealed",
  allAndPlugins: "takes what is not sealed and has its plugins",
  one: "has a SEGNO_SEAL_KEY and uses nothing that is not sealed, as this run",
  todo: "without SEGNO_SEAL_KEY",
};

const WITH_PLUGINS = "in the project's folder, where it is trusted (`segno trust`)";

/** So many are named; a large fleet lacks the same everywhere. */
const MOST_NAMED = 3;

/** Which workers left the run to the others, for what, and what to do about it; nothing when none that stays did. */
function leftTo({ sealedWith, leftBy = [] }: RunThatWaits, workers: readonly Worker[]) {
  // Who is about to leave takes nothing.
  const staying = workers.filter(({ isDraining }) => !isDraining);
  const left = leftBy.filter(({ worker }) => staying.some(({ id }) => id === worker));
  if (left.length === 0) return undefined;
  const hasKey = ({ worker }: LeftBy): boolean => workers.some(({ id, keys = [] }) => id === worker && keys.length > 0);
  const words = sealedWith === null && left.some(hasKey) ? HAS_A_KEY : HAS_NOT_THE_KEY;
  const kinds = new Set(left.map(({ requirement }) => requirement.kind));
  const withKey = kinds.size > 1 ? words.allAndPlugins : words.all;
  const named = left.slice(0, MOST_NAMED).map(({ worker, requirement }) => {
    const name = worker.slice(0, worker.lastIndexOf(":"));
    if (requirement.kind === "key") return `${name} ${words.one}`;
    return `${name}${requirement.folder === null ? "" : `, which was started in ${requirement.folder},`} has not loaded its plugins`;
  });
  const more = left.length > MOST_NAMED ? [`nor have ${left.length - MOST_NAMED} more`] : [];
  const missing = new Set(
    left.flatMap(({ requirement }) => (requirement.kind === "plugins" ? requirement.missing : [])),
  );
  const wanted = [...(kinds.has("plugins") ? [WITH_PLUGINS] : []), ...(kinds.has("key") ? [words.todo] : [])];
  return {
    isByAll: staying.length === left.length,
    capability: kinds.has("key") ? withKey : "has its plugins",
    who: [...named, ...more].join("; ") + (missing.size === 0 ? "" : ` (${[...missing].join("; ")})`),
    todo: `Start a worker ${wanted.join(", and ")}`,
  };
}

type Asked = (run: RunThatWaits, workers: readonly Worker[]) => WhyItWaits | undefined;

/** The fleet is asked once, and only where a run waits for a worker: one that waits for its own time needs none yet. */
async function asked({ fleet }: RunStore, runs: readonly StoredRun[], why: Asked) {
  const waiting = runs.filter(({ waits }) => waits?.until === null).map(({ runId }) => runId);
  if (!fleet || waiting.length === 0) return () => undefined;
  const [workers, left] = await Promise.all([fleet.workers(), fleet.leftBy(waiting)]);
  return ({ runId, waits }: StoredRun): WhyItWaits | undefined =>
    waits?.until === null ? why({ ...waits, leftBy: left.get(runId) ?? [] }, workers) : undefined;
}

/** Of runs that a list shows. */
export const whyTheyWait = (
  store: RunStore,
  runs: readonly StoredRun[],
): Promise<(run: StoredRun) => WhyItWaits | undefined> =>
  asked(store, runs, (run, workers) => whyNoWorkerTakesIt(run, workers) ?? whoLeftIt(run, workers));

/** Of those that no worker which is there can take, the newest. */
export async function whyNoWorkerTakesOne(store: RunStore): Promise<WhyItWaits | undefined> {
  const runs = await store.runs({ withEvals: true });
  return runs.map(await asked(store, runs, whyNoWorkerTakesIt)).find((why) => why !== undefined);
}
