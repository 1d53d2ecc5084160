// A run that no worker has: whether one will take it, and why not.
import type { LeftBy, WorkerView } from "../../hosts/fleet.ts";
import type { RunStore, StoredRun } from "../../hosts/store.ts";

export interface WhyItWaits {
  /** For a list. */
  readonly short: string;
  readonly sentence: string;
}

export interface RunThatWaits {
  /** The id of the key that what is asked of the run is sealed with. */
  readonly sealedWith: string | null;
  /** Workers that left it to the others. */
  readonly leftBy?: readonly LeftBy[];
}

type Worker = Pick<WorkerView, "id" | "keys" | "isDraining">;

export function whyNobodyTakesIt(
  { sealedWith, leftBy = [] }: RunThatWaits,
  workers: readonly Worker[],
): WhyItWaits | undefined {
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
      sentence: `No worker that is there can read the run: it is sealed with the key ${sealedWith}, and their SEGNO_SEAL_KEY is another. Give them this key as well, behind a comma, or start one that has it (the run waits for it).`,
    };
  const { left, others } = takers(workers, leftBy);
  if (left.length === 0 || others > 0) return undefined;
  return {
    short: `no worker that is there ${lackOfAll(left)}`,
    sentence: `No worker that is there can take the run: ${whoLacksWhat(left)}. ${whatToDo(left)}; the run waits for it.`,
  };
}

/** The others may be busy, or lack the same and have not come to it yet. */
function whoLeftIt({ leftBy = [] }: RunThatWaits, workers: readonly Worker[]): WhyItWaits | undefined {
  const { left, others } = takers(workers, leftBy);
  if (left.length === 0 || others === 0) return undefined;
  return {
    short: `not every worker that is there ${lackOfAll(left)}`,
    sentence: `Not every worker that is there can take the run: ${whoLacksWhat(left)}. It waits for one of the others to be free. ${whatToDo(left)}.`,
  };
}

/** Who is about to leave takes nothing. */
function takers(workers: readonly Worker[], leftBy: readonly LeftBy[]) {
  const staying = workers.filter(({ isDraining }) => !isDraining);
  const left = leftBy.filter(({ worker }) => staying.some(({ id }) => id === worker));
  return { left, others: staying.length - left.length };
}

const lackOfAll = (left: readonly LeftBy[]): string => {
  const kinds = new Set(left.map(({ lack }) => lack.kind));
  if (kinds.size > 1) return "has its key and its plugins";
  return kinds.has("key") ? "has its key" : "has its plugins";
};

/** So many are named; a large fleet lacks the same everywhere. */
const MOST_NAMED = 3;

function whoLacksWhat(left: readonly LeftBy[]): string {
  const named = left.slice(0, MOST_NAMED).map(({ worker, lack }) => {
    const name = worker.slice(0, worker.lastIndexOf(":"));
    if (lack.kind === "key") return `${name} has not the key that it is sealed with`;
    return `${name}${lack.folder === null ? "" : `, which was started in ${lack.folder},`} has not loaded its plugins`;
  });
  const more = left.length > MOST_NAMED ? [`nor have ${left.length - MOST_NAMED} more`] : [];
  const missing = new Set(left.flatMap(({ lack }) => (lack.kind === "plugins" ? lack.missing : [])));
  return [...named, ...more].join("; ") + (missing.size === 0 ? "" : ` (${[...missing].join("; ")})`);
}

function whatToDo(left: readonly LeftBy[]): string {
  const kinds = new Set(left.map(({ lack }) => lack.kind));
  const wanted = [
    ...(kinds.has("plugins") ? ["in the project's folder, where it is trusted (`segno trust`)"] : []),
    ...(kinds.has("key") ? ["with the key in its SEGNO_SEAL_KEY"] : []),
  ];
  return `Start a worker ${wanted.join(", and ")}`;
}

type Asked = (run: RunThatWaits, workers: readonly Worker[]) => WhyItWaits | undefined;

/** The fleet is asked once, and only where a run waits for a worker: until its own time it needs nobody. */
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
  asked(store, runs, (run, workers) => whyNobodyTakesIt(run, workers) ?? whoLeftIt(run, workers));

/** Of those that no worker which is there can take, the newest. */
export async function whyNobodyTakesOne(store: RunStore): Promise<WhyItWaits | undefined> {
  const runs = await store.runs();
  const whyNot = await asked(store, runs, whyNobodyTakesIt);
  for (const run of runs) {
    const why = whyNot(run);
    if (why) return why;
  }
  return undefined;
}
