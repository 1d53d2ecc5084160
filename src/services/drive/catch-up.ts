// What a crash kept from the files beside the journal: events that `events.jsonl` lacks, lines that `errors.jsonl` lacks.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RunEvent } from "../../events/registry.ts";
import type { RunLog } from "../../hosts/run-log.ts";
import type { Redactor } from "../../redact/index.ts";
import type { Listener } from "../request.ts";
import { beginsDrive, eachEvent, redactorFor } from "../runs/read-run.ts";
import type { Session } from "../session/session.ts";
import { type EventExport, type ExportTarget, exportEvents, type Inherited } from "./export-events.ts";

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

export interface FillingIn {
  readonly folder: string;
  /** The number of the newest event that is in `events.jsonl`. */
  readonly exported: number;
  readonly redactor: Redactor;
  readonly workflow: string;
  readonly on?: Listener;
  /** Where it begins, if that is not the first event. */
  readonly from?: Inherited | undefined;
}

/** Writes what the files of a run lack; it is given all events of the run, from the first, or from a keyframe on. */
export function fillingIn(
  run: ExportTarget,
  { folder, exported, redactor, workflow, on, from }: FillingIn,
): { readonly write: (event: RunEvent) => void; readonly failure: EventExport["failure"] } {
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
      exporting = exportEvents(target, redactor, workflow, on, exporting ? { openErrors: exporting.openErrors } : from);
    // Also those that are there already: a script's stream may have held something back.
    exporting.write([event]);
  };
  return {
    write,
    get failure() {
      return exporting?.failure;
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
