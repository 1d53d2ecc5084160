// What a crash kept from the files beside the journal: events that `events.jsonl` lacks, lines that `errors.jsonl` lacks.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenRun } from "../hosts/embedded/open-run.ts";
import { createRedactor, secretsFromEnvironment } from "../redact/index.ts";
import { exportEvents } from "./export-events.ts";
import type { Surroundings } from "./request.ts";
import { textsOf } from "./secret-inputs.ts";

export function catchUp(run: OpenRun, env: Surroundings["env"]): void {
  const exported = run.lastExportedSeq();
  if (exported >= run.lastSeq) return;
  // Those lines are written at once, the events now and then: some may be there already.
  const known = errorLines(run.folder);
  const target = {
    exportEvents: (lines: string) => run.exportEvents(lines),
    appendErrors: (line: string) => {
      if (!known.has(line.trimEnd())) run.appendErrors(line);
    },
  };
  const redactor = createRedactor({
    secrets: secretsFromEnvironment(env),
    shortSecrets: [...textsOf(run.secrets())],
  });
  const exporting = exportEvents(target, redactor, run.meta.workflow);
  for (const event of run.events(exported)) exporting.write([event]);
}

function errorLines(folder: string): ReadonlySet<string> {
  const file = join(folder, "errors.jsonl");
  return new Set(existsSync(file) ? readFileSync(file, "utf8").split("\n") : []);
}
