// `segno resume --skip-waits` of a run that waits in a process which drives it: a note in the run's folder ends its waits
// there. So every process that drives hears it: a terminal, an MCP server, a program that uses the library.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { NodeState, RunState } from "../../events/state/state.ts";
import type { RunStore } from "../../hosts/store.ts";
import type { Result } from "../../results/index.ts";
import type { SkippableWait } from "../../steps/caller.ts";
import { nodesOf } from "../limits/list-limits.ts";
import type { DriveListeners, ResumeRequest } from "../request.ts";
import type { Session } from "../session/session.ts";
import { clockOfStore, reading } from "../session/store.ts";
import { stateOf } from "./read-run.ts";
import { resultNow } from "./runs.ts";

const POLL_MS = 250;

const noteIn = (folder: string): string => join(folder, "skip-waits");

/** Gives what begins a wait of the run in this folder. All that are under way end with one note. */
export function skippableWaits(folder: string): () => SkippableWait {
  const waiting = new Set<AbortController>();
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    if (!taken(noteIn(folder))) return;
    for (const wait of waiting) wait.abort();
  };
  return () => {
    const wait = new AbortController();
    // One that came before the wait is not about it.
    if (waiting.size === 0) taken(noteIn(folder));
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

function taken(note: string): boolean {
  try {
    rmSync(note);
    return true;
  } catch {
    // There is none.
    return false;
  }
}

/** The result as it stands when a wait of a driven run was ended; nothing when there is none to end. */
export async function skippedWaits(
  store: RunStore,
  runId: string,
  session: Session,
  { skipWaits }: ResumeRequest,
  { isDone }: DriveListeners,
): Promise<Result | undefined> {
  const { status, crashed, driver, isInReach } = (await store.summary(runId)) ?? {};
  if (!skipWaits || store.fleet || status !== "running" || crashed || !driver || !isInReach) return undefined;
  return reading(store, runId, async (reader) => {
    const now = clockOfStore(store).now();
    const state = await stateOf(reader);
    const waits = [...nodesOf(state.root)].filter((node) => isWaiting(state, node, now));
    if (waits.length === 0) return undefined;
    writeFileSync(noteIn(reader.folder), "", { mode: 0o600 });
    const names = waits.map(({ name }) => name).join(", ");
    isDone?.(`Process ${driver.pid}, which drives the run ${runId}, goes on now with ${names}.`);
    // The run is not over, but what was asked for is done.
    return { ...(await resultNow(reader, store, session)), success: true, exit_code: 0 };
  });
}

/** For a retry or a reset, or as a step of `type: wait`. */
const isWaiting = ({ root }: RunState, { type, status, drive, retry }: NodeState, now: number): boolean =>
  Date.parse(retry?.until ?? "") > now || (type === "wait" && status === "running" && drive === root.drive);
