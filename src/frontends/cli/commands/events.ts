// `segno events`: what a run's journal tells, one line an event; with --follow as it happens.
import type { RunEvent } from "../../../base/events/registry.ts";
import { head } from "../../../base/results/refused.ts";
import { runEvents, UnknownRun } from "../../../services/runs/runs.ts";
import type { Call } from "../command.ts";
import { lineOf } from "../live/event-line.ts";
import { plainLine } from "../live/paint-line.ts";
import type { Colors } from "../output.ts";
import { jsonText } from "../text/harmless.ts";
import { paint } from "../text/phrases.ts";
import { cut } from "../text/width.ts";
import { answerWith, UsageError } from "../usage-error.ts";

export async function events({ asked, output }: Call): Promise<number> {
  const stop = new AbortController();
  // The reader has gone (`| head`): stop following.
  process.stdout.once("error", () => stop.abort());
  process.once("SIGINT", () => stop.abort());
  const all = runEvents(asked.session, {
    run: asked.argument(0),
    follow: asked.flag("follow"),
    signal: stop.signal,
    allOrNone: output.format === "json",
    left: (run) =>
      output.say(`The process that drove the run is gone. To go on: ${asked.reader.ask({ to: "resume", run })}`),
    after: asked.number("after"),
  });
  let count = 0;
  try {
    for await (const event of all) {
      if (stop.signal.aborted) break;
      if (output.format === "ndjson") output.printJson(event);
      else if (output.format === "json") output.stdout.write(`${count++ === 0 ? HEAD : ","}${indented(event)}`);
      else output.print(eventRow(event, output.outColors, output.width));
    }
  } catch (problem) {
    if (problem instanceof UnknownRun) throw new UsageError(problem.message);
    const { asRefusal, Refused } = await import("../../../services/refusals.ts");
    const refused = asRefusal(problem);
    if (!(refused instanceof Refused)) throw problem;
    return answerWith(refused.result, output, () => "");
  }
  if (output.format === "json") output.print(count === 0 ? `${HEAD}${TAIL}` : `\n  ${TAIL}`);
  return 0;
}

// The one object of `--output-format json`, without its events: they are written as they are read.
const WHOLE = jsonText({ ...head(0), events: [] }, 2);
const TAIL = "]\n}";
const HEAD = WHOLE.slice(0, -TAIL.length);
const indented = (event: RunEvent): string => `\n${jsonText(event, 2)}`.replaceAll("\n", "\n    ");

const TYPE_WIDTH = 24;

/** One event as one row: number, time, type, and what it says. */
function eventRow(event: RunEvent, colors: Colors, width: number): string {
  const line = lineOf(event);
  const said = line ? plainLine(line) : `${event.path.map((slot) => `${slot}/`).join("")}${jsonText(event.data)}`;
  const time = event.ts.slice(11, 23);
  const type = line ? paint(line.glyph.tone, event.type.padEnd(TYPE_WIDTH), colors) : event.type.padEnd(TYPE_WIDTH);
  return cut(`${colors.dim(String(event.seq).padStart(5))}  ${colors.dim(time)}  ${type}  ${said}`, width);
}
