// The port of a run with all that hears of its events once they are written: the state, the exported files, listeners.
import { apply } from "../../events/state/fold.ts";
import type { RunState } from "../../events/state/state.ts";
import { Drive, type DriveOptions } from "../../hosts/drive.ts";
import { type Redactor, secretsByName } from "../../redact/index.ts";
import type { Listener } from "../request.ts";
import { type KeepingLog, recordSecrets } from "../secrets/record-secrets.ts";
import { type EventExport, type ExportTarget, exportEvents, type Inherited } from "./export-events.ts";
import type { KeyframeFacts } from "./keyframe-facts.ts";

export interface PortOptions
  extends Pick<DriveOptions, "clock" | "recall" | "ask" | "answers" | "random" | "beginWait"> {
  /** Another port than the usual one: of a drive that may be left before its end. */
  readonly portOf?: (options: DriveOptions) => Drive;
  readonly log: KeepingLog & ExportTarget;
  readonly state: RunState;
  readonly redactor: Redactor;
  /** The name of the workflow, as `errors.jsonl` has it. */
  readonly workflow: string;
  readonly on?: Listener;
  readonly inherited?: Inherited;
  readonly facts?: KeyframeFacts;
}

export function openPort(options: PortOptions): { readonly port: Drive; readonly exporting: EventExport } {
  const { log, inherited, state, facts, redactor, clock, recall, ask, answers, random, beginWait } = options;
  const exporting = exportEvents(log, redactor, options.workflow, options.on, inherited);
  const portOf = options.portOf ?? ((given: DriveOptions) => new Drive(given));
  const port = portOf({
    log: recordSecrets(log, redactor),
    clock,
    recall,
    ask,
    answers,
    ...(random ? { random } : {}),
    ...(beginWait ? { beginWait } : {}),
    conceal(data) {
      for (const secret of secretsByName(data)) redactor.learn(secret, "by name");
      return redactor.value(data) as object;
    },
    written(events, dataTexts) {
      for (const event of events) {
        apply(state, event);
        facts?.add(event);
      }
      exporting.write(events, dataTexts);
    },
  });
  return { port, exporting };
}
