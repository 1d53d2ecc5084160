// A word to a process that drives several runs: which of them is meant by the signal that it gets next. Where a process
// cannot be sent a signal, it looks for the word itself.
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { system } from "../../steps/process/here.ts";

const POLL_MS = 250;

export const runFolderIn = (home: string, runId: string): string => join(home, "runs", runId);

const noteIn = (folder: string): string => join(folder, "stop-requested");

export const requestStop = (folder: string): void => writeFileSync(noteIn(folder), "", { mode: 0o600 });

/** While the run in this folder is driven here: what `segno cancel` leaves there is as good as Ctrl-C. */
export function hearStopRequest(folder: string, { hasSignals } = system): () => void {
  if (hasSignals) return () => {};
  const look = (): void => {
    if (existsSync(noteIn(folder))) process.emit("SIGINT");
  };
  const timer = setInterval(look, POLL_MS).unref();
  return () => clearInterval(timer);
}

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

export class StoppedBy extends Error {
  constructor(readonly person: string) {
    super(`stopped by ${person}`);
  }
}
