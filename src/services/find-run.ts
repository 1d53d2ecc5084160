// Finds a run by its id or a part of it. Where several match, the refusal lists those that the caller may see.
import type { RunStore, StoredRun } from "../hosts/store.ts";
import { AmbiguousRun } from "../hosts/store-error.ts";
import { type Refused, refusal } from "./refusals.ts";

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
    if (!(problem instanceof AmbiguousRun)) throw problem;
    const found = await Promise.all(problem.candidates.map((runId) => store.summary(runId)));
    const shown = found.filter((run) => run !== undefined && isShown(run.file)) as readonly StoredRun[];
    if (shown.length < 2) return shown[0]?.runId;
    throw severalFit(named, shown);
  }
}

function severalFit(named: string, runs: readonly StoredRun[]): Refused {
  const lines = runs.slice(0, SHOWN).map((run) => {
    const status = run.crashed ? "crashed" : run.status;
    return `${run.runId} (${run.workflow}, ${status}, ${run.started})`;
  });
  const more = runs.length > SHOWN ? [`and ${runs.length - SHOWN} more`] : [];
  return refusal(`several runs fit ${named}: ${[...lines, ...more].join("; ")}. Give more of the id.`, {
    errorType: "AmbiguousRun",
    suggestions: runs.slice(0, SHOWN).map(({ runId }) => runId),
  });
}
