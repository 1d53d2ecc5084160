// Notes that one process leaves in a run's folder for the one that drives it: to stop, or to end its waits. So every
// process that drives hears them: a terminal, a server, a program that uses the library, also where there are no signals.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { SkippableWait } from "../../steps/caller.ts";
import { system } from "../../steps/process/here.ts";
import { touchPrivate } from "../../storage/private-files.ts";

type Note = "stop-requested" | "skip-waits";

const POLL_MS = 250;

export const runFolderIn = (home: string, runId: string): string => join(home, "runs", runId);

const leaveNote = (folder: string, note: Note): void => touchPrivate(join(folder, note));

/** Whether there was such a note; asked once, it is gone. */
function takeNote(folder: string, note: Note): boolean {
  try {
    rmSync(join(folder, note));
    return true;
  } catch {
    // There is none.
    return false;
  }
}

export const requestStop = (folder: string): void => leaveNote(folder, "stop-requested");

export const takeStopRequest = (folder: string): boolean => takeNote(folder, "stop-requested");

export const requestSkip = (folder: string): void => leaveNote(folder, "skip-waits");

/**
 * While the run in this folder is driven here: what `segno cancel` leaves there is as good as Ctrl-C. Where there are
 * signals, the process is sent one, and the note says which of its runs is meant.
 */
export function hearStopRequest(folder: string, { hasSignals } = system): () => void {
  if (hasSignals) return () => {};
  const look = (): void => {
    if (existsSync(join(folder, "stop-requested"))) process.emit("SIGINT");
  };
  const timer = setInterval(look, POLL_MS).unref();
  return () => clearInterval(timer);
}

export class StoppedBy extends Error {
  constructor(readonly person: string) {
    super(`stopped by ${person}`);
  }
}

/** Gives what begins a wait of the run in this folder. All that are under way end with one note. */
export function skippableWaits(folder: string): () => SkippableWait {
  const waiting = new Set<AbortController>();
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    if (!takeNote(folder, "skip-waits")) return;
    for (const wait of waiting) wait.abort();
  };
  return () => {
    const wait = new AbortController();
    // One that came before the wait is not about it.
    if (waiting.size === 0) takeNote(folder, "skip-waits");
    waiting.add(wait);
    timer ??= setInterval(look, POLL_MS).unref();
    return {
      skipped: wait.signal,
      end() {
        waiting.delete(wait);
        if (waiting.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      },
    };
  };
}
