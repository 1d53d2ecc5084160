// `segno events`: what a run's journal tells, one line an event; with --follow as it happens.
import { runEvents } from "../../services/runs.ts";
import type { Call } from "../command.ts";
import { eventRow } from "../report/event-row.ts";

export default async function events({ asked, output }: Call): Promise<number> {
  const stop = new AbortController();
  // Whoever read this has gone (`| head`): following on would be for nobody.
  process.stdout.once("error", () => stop.abort());
  process.once("SIGINT", () => stop.abort());
  const after = asked.number("after");
  const all = runEvents({
    ...asked.surroundings,
    run: asked.required(0),
    follow: asked.flag("follow"),
    signal: stop.signal,
    ...(after === undefined ? {} : { after }),
  });
  const kept = [];
  for await (const event of all) {
    if (output.format === "ndjson") output.print(JSON.stringify(event));
    else if (output.format === "json") kept.push(event);
    else output.print(eventRow(event, output.outColors, output.stdout.columns ?? 160));
  }
  if (output.format === "json") output.print(JSON.stringify(kept, null, 2));
  return 0;
}
