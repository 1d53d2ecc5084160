// Files that runs brought to this machine are removed when the runs have ended, wherever that was.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { RunStore } from "../../hosts/store.ts";
import { removeBrought } from "../drive/brought-files.ts";

const OFTEN_MS = 10 * 60_000;

/** At once, for what a lost worker has left behind, and then again and again. */
export function forgetFromTimeToTime(
  home: string,
  store: RunStore,
  drives: { readonly stops: ReadonlyMap<string, unknown> },
): NodeJS.Timeout {
  // What cannot be asked now is asked the next time.
  const look = (): void => void forgetBrought(home, store, (runId) => drives.stops.has(runId)).catch(() => {});
  look();
  return setInterval(look, OFTEN_MS).unref();
}

async function forgetBrought(home: string, { fleet }: RunStore, isHere: (runId: string) => boolean): Promise<void> {
  for (const runId of broughtRuns(home)) {
    const standing = await fleet?.standing(runId);
    const isOver = !standing || (standing.isEnded && standing.status !== "paused");
    if (isOver && !isHere(runId)) removeBrought(home, runId);
  }
}

function broughtRuns(home: string): readonly string[] {
  try {
    return readdirSync(join(home, "brought"));
  } catch {
    return [];
  }
}
