// What a crash kept from the files beside the journal: events that `events.jsonl` lacks, lines that `errors.jsonl` lacks.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { EventType, RunEvent } from "../events/registry.ts";
import type { OpenRun } from "../hosts/embedded/open-run.ts";
import { createRedactor, secretsFromEnvironment } from "../redact/index.ts";
import { type EventExport, exportEvents } from "./export-events.ts";
import type { Surroundings } from "./request.ts";
import { textsOf } from "./secret-inputs.ts";

/** Events that may become lines of `errors.jsonl`. */
const TELLING: ReadonlySet<EventType> = new Set(["for_each_item_failed", "parallel_agent_failed", "workflow_failed"]);

/** Gives how many events the files told of that the journal has lost. */
export function catchUp(run: OpenRun, env: Surroundings["env"]): number {
  const { lastSeq: exported, lost } = run.exported();
  if (exported >= run.lastSeq) return lost;
  const redactor = createRedactor({
    secrets: secretsFromEnvironment(env),
    shortSecrets: [...textsOf(run.secrets())],
  });
  const written = errorLines(run.folder);
  let isNew = false;
  const target = {
    exportEvents: (lines: () => string, length: number) => {
      if (isNew) run.exportEvents(lines, length);
    },
    // These lines are written at once, the events now and then: some are there already. Two items that failed in the
    // same instant have the same line twice, so each line that is there stands for one.
    appendErrors: (line: string) => {
      const left = written.get(line) ?? 0;
      if (left > 0) written.set(line, left - 1);
      else run.appendErrors(line);
    },
  };
  let exporting: EventExport | undefined;
  for (const event of run.events()) {
    isNew = event.seq > exported;
    // As it was written: each drive has an export of its own.
    if (!exporting || beginsDrive(event)) exporting = exportEvents(target, redactor, run.meta.workflow);
    if (isNew || TELLING.has(event.type)) exporting.write([event]);
  }
  return lost;
}

const beginsDrive = ({ type }: RunEvent): boolean => type === "workflow_started" || type === "run_resumed";

function errorLines(folder: string): Map<string, number> {
  const file = join(folder, "errors.jsonl");
  const lines = new Map<string, number>();
  const texts = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
  for (const text of texts) lines.set(`${text}\n`, (lines.get(`${text}\n`) ?? 0) + 1);
  return lines;
}
