// Finds a run by its id or a part of it. Where several match, the refusal lists those that the caller may see.

import { isAbsolute, relative, sep } from "node:path";
import type { RunStore, StoredRun } from "../../hosts/store.ts";
import { AmbiguousRun, StoreError } from "../../hosts/store-error.ts";
import { COMMAND_LINE, type Reader } from "../../results/index.ts";
import { type Refused, refusal } from "../refusals.ts";

/** A longer list of candidates does not help. */
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

export const isRunBelow = ({ file }: Pick<StoredRun, "file">, folder: string): boolean => {
  const way = relative(folder, file);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
};

export const canBeResumed = ({ resumable, status, crashed, waits }: StoredRun): boolean =>
  resumable && !waits && (status !== "running" || crashed);

export async function newestBelow(store: RunStore, folder: string, reader: Reader = COMMAND_LINE): Promise<string> {
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
