// Opens a run for driving, and completes the files beside its journal. For a driver on another machine only its
// heartbeat shows whether it is alive: the user reads that this process is watching it, and how not to wait.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { RunEvent } from "../../base/events/registry.ts";
import type { Redactor } from "../../base/redact/index.ts";
import { COMMAND_LINE, type Reader } from "../../base/results/index.ts";
import type { RunLog } from "../../storage/run-log.ts";
import type { RunStore } from "../../storage/store.ts";
import { LeaseHeld } from "../../storage/store-error.ts";
import { beginsDrive, eachEvent, redactorFor } from "../reading/read-run.ts";
import { type Refused, refusal } from "../refusals.ts";
import type { Listener } from "../request.ts";
import type { Session } from "../session/session.ts";
import type { ErrorLines } from "./error-lines.ts";
import { EventExport, type ExportTarget, type Inherited } from "./port.ts";

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
export const takenOverText = ({ host, pid, since }: Pick<LeaseHeld, "host" | "pid" | "since">): string =>
  `taken over from process ${pid} on ${host}, which drove the run since ${since}, because the user who resumed it asked for that. If that process lives it can record nothing more; a step that it had begun may go on there and is run again here`;

/** Gives how many events the files have that the journal has lost. `keyframe`: the files had all that is before it. */
export async function catchUp(
  run: RunLog,
  session: Pick<Session, "env">,
  keyframe?: Inherited & { readonly seq: number; readonly redactor: Redactor },
): Promise<number> {
  const { lastSeq: exported, lost } = run.exported();
  if (exported >= run.lastSeq) return lost;
  const from = keyframe && keyframe.seq <= exported ? keyframe : undefined;
  const redactor = from?.redactor ?? (await redactorFor(run, session));
  const { write } = fillingIn(run, { folder: run.folder, exported, redactor, workflow: run.meta.workflow, from });
  await eachEvent(run.events(from?.seq), write);
  return lost;
}

interface FillingIn {
  readonly folder: string;
  /** The number of the newest event that is in `events.jsonl`. */
  readonly exported: number;
  readonly redactor: Redactor;
  readonly workflow: string;
  readonly on?: Listener;
  readonly from?: Inherited | undefined;
}

/** Writes what the files of a run lack; it is given all events of the run, from the first, or from a keyframe on. */
export function fillingIn(
  run: ExportTarget,
  { folder, exported, redactor, workflow, on, from }: FillingIn,
): { readonly write: (event: RunEvent) => void; readonly failure: ErrorLines["failure"] } {
  const written = errorLines(folder);
  let isNew = false;
  const target = {
    exportEvents: (lines: () => string, length: number) => {
      if (isNew) run.exportEvents(lines, length);
    },
    // These lines are written at once, the events now and then: some are there already. Two items that failed in the
    // same instant have the same line twice, so each line that is there counts for one.
    appendErrors: (line: string) => {
      const left = written.get(line) ?? 0;
      if (left > 0) written.set(line, left - 1);
      else run.appendErrors(line);
    },
  };
  let exporting: EventExport | undefined;
  const write = (event: RunEvent): void => {
    isNew = event.seq > exported;
    // As it was written: each drive has an export of its own.
    if (!exporting || beginsDrive(event))
      exporting = new EventExport(
        target,
        redactor,
        workflow,
        on,
        exporting ? { openErrors: exporting.errors.open } : from,
      );
    // Also those that are there already: a script's stream may have held something back.
    exporting.write([event]);
  };
  return {
    write,
    get failure() {
      return exporting?.errors.failure;
    },
  };
}

function errorLines(folder: string): Map<string, number> {
  const file = join(folder, "errors.jsonl");
  const lines = new Map<string, number>();
  const texts = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
  for (const text of texts) lines.set(`${text}\n`, (lines.get(`${text}\n`) ?? 0) + 1);
  return lines;
}
