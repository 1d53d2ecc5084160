// Waits until the output of an exited process has been read, but not for a background child that holds its pipe open.
import type { ChildProcess } from "node:child_process";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";

const QUIET_MS = 100;
const LONGEST_MS = 1000;

/**
 * Resolves when both pipes are closed, or have been silent for a moment. Pipes that are still open then are read on and
 * thrown away without keeping the program alive: closing them would kill the background child at its next write.
 */
export async function drained(child: ChildProcess): Promise<void> {
  const closed = new Promise<"closed">((resolve) => child.once("close", () => resolve("closed")));
  if (isClosed(child)) return;
  const stop = new AbortController();
  const outcome = await Promise.race([closed, quiet(child, stop.signal)]);
  stop.abort();
  if (outcome === "closed") return;
  for (const stream of [child.stdout, child.stderr]) letGo(stream);
}

const isClosed = (child: ChildProcess): boolean =>
  [child.stdout, child.stderr].every((stream) => stream === null || stream.closed);

async function quiet(child: ChildProcess, stopped: AbortSignal): Promise<"quiet"> {
  const until = performance.now() + LONGEST_MS;
  let heard = false;
  const hear = (): void => {
    heard = true;
  };
  child.stdout?.on("data", hear);
  child.stderr?.on("data", hear);
  do {
    heard = false;
    await pause(QUIET_MS, undefined, { signal: stopped }).catch(() => {});
    // A busy program may come here late, with data waiting: give it a chance to be read before calling it quiet.
    if (!stopped.aborted) await turn();
  } while (heard && !stopped.aborted && performance.now() < until);
  child.stdout?.removeListener("data", hear);
  child.stderr?.removeListener("data", hear);
  return "quiet";
}

function letGo(stream: ChildProcess["stdout"]): void {
  if (stream === null || stream.closed) return;
  stream.removeAllListeners("data");
  stream.resume();
  (stream as typeof stream & { unref?: () => void }).unref?.();
}
