// Opens a run for driving. Only its heartbeat, watched for a while, shows whether a process on another machine or in
// another container still drives it: so the user learns that this process is watching, and how not to wait for it.
import { setTimeout as pause } from "node:timers/promises";
import type { RunLog } from "../../hosts/run-log.ts";
import type { RunStore } from "../../hosts/store.ts";
import { LeaseHeld } from "../../hosts/store-error.ts";
import { COMMAND_LINE, type Reader } from "../../results/index.ts";
import { type Refused, refusal } from "../refusals.ts";

export interface Opening {
  /** Take the run also from a process that may be alive: the user says that it is not, or that it should stop. */
  readonly takeOver?: boolean;
  readonly watching?: (text: string) => void;
  readonly signal?: AbortSignal;
  readonly reader?: Reader;
}

const LOOK_MS = 1000;

/** Throws `LeaseHeld` when the run is driven elsewhere. */
export async function openToDrive(store: RunStore, runId: string, opening: Opening): Promise<RunLog> {
  const { takeOver = false, watching, signal, reader = COMMAND_LINE } = opening;
  let first: LeaseHeld | undefined;
  for (;;) {
    try {
      return await store.openRun(runId, { takeOver });
    } catch (problem) {
      if (!(problem instanceof LeaseHeld) || problem.watchMs === undefined) throw problem;
      // A heart that beats: no need to look any longer.
      if (first && first.heard !== problem.heard) throw problem;
      if (signal?.aborted) throw notKnownYet(problem, reader);
      if (!first) watching?.(watchingText(problem, problem.watchMs, reader));
      first ??= problem;
      await pause(Math.min(LOOK_MS, problem.watchMs + 1), undefined, { signal }).catch(() => {});
    }
  }
}

/** When the watching was stopped, it is not known whether the process lives, and the message does not claim it. */
function notKnownYet({ runId, pid, host, since }: LeaseHeld, reader: Reader): Refused {
  const takeOver = reader.ask({ to: "take over", run: runId });
  const known = takeOver === null ? "" : `, or, if you know that it is gone: ${takeOver}`;
  return refusal(
    `it is not known yet whether process ${pid} on ${host} still drives the run ${runId}, as it did since ${since}: the watching was stopped`,
    {
      runId,
      errorType: "DriverUnknown",
      hint: `Nothing was changed. To watch it to the end: ${reader.ask({ to: "resume", run: runId })}${known}`,
    },
  );
}

function watchingText({ runId, pid, host, since }: LeaseHeld, watchMs: number, reader: Reader): string {
  const takeOver = reader.ask({ to: "take over", run: runId });
  const watching = `The run ${runId} was last driven by process ${pid} on ${host}, since ${since}, which cannot be seen from here. Watching for up to ${Math.ceil(watchMs / 1000)} s whether it still gives a sign of life`;
  return takeOver === null ? `${watching}.` : `${watching}; if you know that it is gone, ${takeOver} does not wait.`;
}

/** What a run records of having been taken from a process that was not known to be dead. */
export const takenOverText = ({
  host,
  pid,
  since,
}: {
  readonly host: string;
  readonly pid: number;
  readonly since: string;
}): string =>
  `taken over from process ${pid} on ${host}, which drove the run since ${since}, because the user who resumed it asked for that. If that process lives it can record nothing more; a step that it had begun may go on there and is run again here`;
