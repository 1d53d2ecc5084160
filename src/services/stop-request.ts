// A word to a process that drives several runs: which of them is meant by the signal that it gets next.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where a run of that home has its files. */
export const runFolderIn = (home: string, runId: string): string => join(home, "runs", runId);

const noteIn = (folder: string): string => join(folder, "stop-requested");

export const requestStop = (folder: string): void => writeFileSync(noteIn(folder), "", { mode: 0o600 });

/** Whether the run in this folder was meant; asked once, the request is gone. */
export function takeStopRequest(folder: string): boolean {
  try {
    rmSync(noteIn(folder));
    return true;
  } catch {
    // There is none.
    return false;
  }
}
