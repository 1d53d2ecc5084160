// The port of a run, and everything that gets its events once they are written: the state, the exported files,
// listeners. Each event is redacted once, then goes to events.jsonl and to listeners; unhandled envelopes become lines
// of errors.jsonl.
import type { RunEvent } from "../../base/events/registry.ts";
import { apply } from "../../base/events/state/fold.ts";
import type { RunState } from "../../base/events/state/state.ts";
import { mapLates } from "../../base/json/late.ts";
import { withTextsCut } from "../../base/redact/cut-texts.ts";
import { type HowKnown, type Redactor, secretsByName } from "../../base/redact/index.ts";
import { EventExit, learnSecrets, redactEvent } from "../../base/results/index.ts";
import { type DataText, Drive, type DriveOptions, isTooLong, textsOfData } from "../../storage/drive.ts";
import type { RunLog } from "../../storage/run-log.ts";
import { beginsDrive } from "../reading/read-run.ts";
import type { Listener } from "../request.ts";
import { type KeepingLog, recordSecrets } from "../session/run-secrets.ts";
import { ErrorLines, type OpenLine } from "./error-lines.ts";

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
  readonly facts?: { add(event: RunEvent): void };
}

export function openPort(options: PortOptions): { readonly port: Drive; readonly exporting: EventExport } {
  const { log, inherited, state, facts, redactor, clock, recall, ask, answers, random, beginWait } = options;
  const exporting = new EventExport(log, redactor, options.workflow, options.on, inherited);
  const portOf = options.portOf ?? ((given: DriveOptions) => new Drive(given));
  const port = portOf({
    log: recordSecrets(log, redactor),
    clock,
    recall,
    ask,
    answers,
    random,
    beginWait,
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

export type ExportTarget = Pick<RunLog, "exportEvents" | "appendErrors">;

export interface Inherited {
  readonly openErrors?: readonly OpenLine[];
  readonly writtenErrors?: Iterable<string>;
}

export class EventExport {
  /** With what the next drive inherits if this one is cut off, and which errors have a line. */
  readonly errors: ErrorLines;
  /** Whether an event taught a secret that is not one of the run's inputs: it is known to this process alone. */
  hasTaught = false;
  readonly #exit: EventExit;

  constructor(
    private readonly target: ExportTarget,
    private readonly redactor: Redactor,
    workflow: string,
    private readonly listener?: Listener,
    { openErrors, writtenErrors }: Inherited = {},
  ) {
    this.#exit = new EventExit(redactor);
    this.errors = new ErrorLines(target, redactor, workflow, openErrors, writtenErrors);
  }

  learn(secret: string, known?: HowKnown): void {
    this.hasTaught = true;
    this.redactor.learn(secret, known);
  }

  /** `dataTexts` are the events' data as JSON: what holds no secret is written as it is. */
  write(all: readonly RunEvent[], dataTexts: readonly DataText[] = textsOfData(all)): void {
    const { target, redactor, listener } = this;
    const events = dataTexts.includes(undefined)
      ? all.map((event, at) => (dataTexts[at] === undefined && isTooLong(event.data) ? withoutBig(event) : event))
      : all;
    let length = 0;
    let isOfStream = false;
    // Before any of them is shown: what is known to be a secret by the second is hidden in the first.
    for (let at = 0; at < events.length; at++) {
      const event = events[at]!;
      learnSecrets(event, beginsDrive(event) ? redactor : this, dataTexts[at]);
    }
    for (let at = 0; at < events.length; at++) {
      const event = events[at]!;
      length += (dataTexts[at]?.length ?? 0) + HEAD_LENGTH;
      isOfStream ||= EventExit.isOfStream(event);
      this.errors.see(event);
    }
    // Who listens wants to see it now, and streams remember what they held back; the rest waits until it is written.
    if (!listener && !isOfStream) {
      target.exportEvents(() => linesOf(events, dataTexts, redactor), length);
      return;
    }
    const shown: RunEvent[] = [];
    const texts: (string | undefined)[] = [];
    for (let at = 0; at < events.length; at++) {
      const visible = this.#exit.pass(events[at]!, dataTexts[at]);
      shown.push(visible);
      texts.push(visible === events[at] ? dataTexts[at] : undefined);
    }
    if (listener) for (const event of shown) listener(event);
    target.exportEvents(() => linesOf(shown, texts), length);
  }
}

const OMITTED = "left out: too long for one text; the journal has it";

/** For data that is too long for one text: its short fields, and a word in place of the others. */
function withoutBig(event: RunEvent): RunEvent {
  const fields = Object.entries(event.data).map(([key, value]) => {
    const isShort = typeof value !== "object" || value === null;
    return [key, isShort && !(typeof value === "string" && value.length > MOST_OF_A_FIELD) ? value : OMITTED];
  });
  return { ...event, data: Object.fromEntries(fields) } as RunEvent;
}

const MOST_OF_A_FIELD = 64 * 1024;

/** Each text that is not in memory is read, redacted and cut before the next: a group has hundreds of them. */
function withLatesCut(event: RunEvent, redactor: Redactor | undefined): RunEvent {
  const data = mapLates(event.data, (text) =>
    withTextsCut(typeof text === "string" && redactor ? redactor.text(text) : text),
  );
  return data === event.data ? event : ({ ...event, data } as RunEvent);
}

/** About what a line has beside its data. */
const HEAD_LENGTH = 130;

/** Data with a text of this length has no long text in it. */
const SHORT = 16 * 1024;

/** Only the data is walked, and only if its text is not made already: the rest is plain names and numbers. */
function linesOf(events: readonly RunEvent[], dataTexts: readonly (string | undefined)[], redactor?: Redactor): string {
  let lines = "";
  for (let at = 0; at < events.length; at++) {
    const event = dataTexts[at] === undefined ? withLatesCut(events[at]!, redactor) : events[at]!;
    const shown = redactor ? redactEvent(event, redactor, dataTexts[at]) : event;
    const { seq, ts, type, run_id, path, data } = shown;
    const where = path.length === 0 ? "[]" : JSON.stringify(path);
    const known = shown === event ? dataTexts[at] : undefined;
    const text = known !== undefined && known.length <= SHORT ? known : JSON.stringify(withTextsCut(data));
    lines += `{"seq":${seq},"ts":"${ts}","type":"${type}","run_id":"${run_id}","path":${where},"data":${text}}\n`;
  }
  return lines;
}
