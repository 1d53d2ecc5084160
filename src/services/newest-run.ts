// Which run is meant when none is named: the newest of a file below the working directory. Other projects share the
// store, and one of their runs must not be resumed by mistake.
import { isAbsolute, relative, sep } from "node:path";
import type { RunStore, StoredRun } from "../hosts/store.ts";
import { COMMAND_LINE, type Reader } from "../results/index.ts";
import { refusal } from "./refusals.ts";

export const isRunBelow = ({ file }: StoredRun, folder: string): boolean => {
  const way = relative(folder, file);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
};

/** Whether it could be resumed now. */
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
