// `segno replay`: a run again, as it was seen while it ran. Without a terminal: its lines, with the time of each.
import { head } from "../../results/refused.ts";
import { Refused } from "../../services/refusals.ts";
import { beatsOf } from "../../services/runs/replay.ts";
import { runEvents, showRun } from "../../services/runs/runs.ts";
import type { Asked } from "../asked.ts";
import type { Call } from "../command.ts";
import { lineOf } from "../live/event-line.ts";
import { plainLine } from "../live/paint-line.ts";
import type { Output } from "../output.ts";
import { keysFrom } from "../replay/keys.ts";
import { passedOver, play } from "../replay/play.ts";
import { statusLine } from "../report/status-line.ts";
import { duration } from "../text/time.ts";
import { UsageError } from "../usage-error.ts";

export default async function replay({ asked, output }: Call): Promise<number> {
  const speed = speedOf(asked);
  let { run } = asked.run;
  const noting = async function* (events: ReturnType<typeof runEvents>) {
    for await (const event of events) {
      run = event.run_id;
      yield event;
    }
  };
  const beats = beatsOf(noting(runEvents(asked.session, { ...asked.run })), speed);
  try {
    if (output.format !== "text") return await asData(beats, output);
    // With stdout redirected, the lines go there.
    const watched = output.live && output.stdout.isTTY === true;
    const whole = watched ? await live(beats, output, speed, asked.flag("step")) : await lines(beats, output, asked);
    // Leaving early is no failure: it was only looked at.
    if (!whole) return 0;
    const result = await showRun(asked.session, { ...(run === undefined ? {} : { run }) });
    if (watched) output.say(statusLine(result, output.colors, output.stderr.columns));
    else output.print(statusLine(result, output.outColors));
    return 0;
  } catch (problem) {
    if (problem instanceof Refused) throw new UsageError(problem.message, { command: "replay" });
    throw problem;
  }
}

function speedOf(asked: Asked): number {
  const given = asked.text("speed");
  const speed = Number(given ?? 1);
  if (given === "" || !(speed > 0) || !Number.isFinite(speed))
    throw new UsageError(`--speed takes a number above 0, not "${given}". 1 is real time.`, { command: "replay" });
  return speed;
}

type Beats = ReturnType<typeof beatsOf>;

async function live(beats: Beats, output: Output, speed: number, step: boolean): Promise<boolean> {
  const stop = new AbortController();
  const leave = (): void => stop.abort();
  process.once("SIGINT", leave);
  const keys = step && process.stdin.isTTY ? keysFrom(process.stdin) : undefined;
  try {
    if (step && !keys) throw new UsageError("--step needs a keyboard: stdin is not a terminal.", { command: "replay" });
    return await play({ beats, output, speed, signal: stop.signal, ...(keys ? { keys } : {}) });
  } finally {
    keys?.close();
    process.off("SIGINT", leave);
  }
}

async function lines(beats: Beats, output: Output, asked: Asked): Promise<boolean> {
  if (asked.flag("step")) throw new UsageError("--step needs a terminal.", { command: "replay" });
  const { dim } = output.outColors;
  let elapsed = 0;
  for await (const { event, after_ms, passed_over } of beats) {
    if (event.type !== "run_resumed") elapsed += after_ms;
    if (passed_over?.what === "between drives") output.print(dim(passedOver(passed_over)));
    const line = lineOf(event);
    if (!line || (line.weight === "detail" && !output.verbose)) continue;
    output.print(`${dim(`+${duration(elapsed)}`.padStart(9))}  ${plainLine(line)}`);
  }
  return true;
}

async function asData(beats: Beats, output: Output): Promise<number> {
  const all = [];
  for await (const { event, after_ms } of beats) {
    if (output.format === "ndjson") output.printJson({ ...event, after_ms });
    else all.push({ ...event, after_ms });
  }
  if (output.format === "json") output.json({ ...head(0), events: all });
  return 0;
}
