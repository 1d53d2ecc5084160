// `segno replay`: a run again, as it was seen while it ran. Without a terminal: its lines, with the time of each.

import { setTimeout as pause } from "node:timers/promises";
import type { ReadStream } from "node:tty";
import { head } from "../../../base/results/refused.ts";
import { Refused } from "../../../services/refusals.ts";
import { type Beat, beatsOf, runEvents, showRun } from "../../../services/runs/runs.ts";
import type { Asked } from "../asked.ts";
import type { Call } from "../command.ts";
import { lineOf } from "../live/event-line.ts";
import { LiveTree } from "../live/live-tree.ts";
import { paintLine, plainLine } from "../live/paint-line.ts";
import type { Output } from "../output.ts";
import { statusLine } from "../report/status-line.ts";
import { duration } from "../text/phrases.ts";
import { UsageError } from "../usage-error.ts";

export async function replay({ asked, output }: Call): Promise<number> {
  const speed = speedOf(asked);
  let run = asked.argument(0);
  const noting = async function* (events: ReturnType<typeof runEvents>) {
    for await (const event of events) {
      run = event.run_id;
      yield event;
    }
  };
  const beats = beatsOf(noting(runEvents(asked.session, { run })), speed);
  try {
    if (output.format !== "text") return await asData(beats, output);
    // With stdout redirected, the lines go there.
    const watched = output.live && output.stdout.isTTY === true;
    const whole = watched ? await live(beats, output, speed, asked.flag("step")) : await lines(beats, output, asked);
    // Leaving early is no failure: it was only looked at.
    if (!whole) return 0;
    const result = await showRun(asked.session, { run });
    if (watched) output.say(statusLine(result, { colors: output.colors, terminal: output.stderr.columns }));
    else output.print(statusLine(result, { colors: output.outColors }));
    return 0;
  } catch (problem) {
    if (problem instanceof Refused) throw new UsageError(problem.message);
    throw problem;
  }
}

function speedOf(asked: Asked): number {
  const given = asked.text("speed");
  const speed = Number(given ?? 1);
  if (given === "" || !(speed > 0) || !Number.isFinite(speed))
    throw new UsageError(`--speed takes a number above 0, not "${given}". 1 is real time.`);
  return speed;
}

type Beats = ReturnType<typeof beatsOf>;

async function live(beats: Beats, output: Output, speed: number, step: boolean): Promise<boolean> {
  const stop = new AbortController();
  const leave = (): void => stop.abort();
  process.once("SIGINT", leave);
  const keys = step && process.stdin.isTTY ? keysFrom(process.stdin) : undefined;
  try {
    if (step && !keys) throw new UsageError("--step needs a keyboard: stdin is not a terminal.");
    return await play({ beats, output, speed, signal: stop.signal, keys });
  } finally {
    keys?.close();
    process.off("SIGINT", leave);
  }
}

async function lines(beats: Beats, output: Output, asked: Asked): Promise<boolean> {
  if (asked.flag("step")) throw new UsageError("--step needs a terminal.");
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

export interface Playing {
  readonly beats: AsyncIterable<Beat>;
  readonly output: Output;
  readonly speed: number;
  /** One event for each key; undefined: in time. */
  readonly keys: Keys | undefined;
  readonly signal: AbortSignal;
}

/** Plays the events in the live tree, and gives whether it came to their end. */
async function play({ beats, output, speed, keys, signal }: Playing): Promise<boolean> {
  const clock = new RunClock(keys ? 0 : speed);
  const tree = new LiveTree(output, { now: clock.now });
  const { dim, cyan } = output.colors;
  if (keys) output.say(dim("Any key shows the next event; q leaves."));
  try {
    for await (const { event, wait_ms, passed_over } of beats) {
      const line = lineOf(event);
      // Without words on the screen a key would seem to do nothing.
      if (keys && line) {
        if (isLeaving(await keys.next())) return false;
      } else if (!keys && wait_ms >= 1) await pause(wait_ms, undefined, { signal }).catch(() => {});
      if (signal.aborted) return false;
      if (passed_over) tree.say(cyan(passedOver(passed_over)));
      clock.set(Date.parse(event.ts));
      tree.on(event);
      if (keys && line && line.weight !== "always") tree.say(paintLine(line, output.colors, output.columns));
      else if (keys) tree.say();
    }
    return true;
  } finally {
    tree.end();
  }
}

const passedOver = ({ what, ms }: NonNullable<Beat["passed_over"]>): string =>
  what === "between drives" ? `── not driven for ${duration(ms)} ──` : `── ${duration(ms)} without an event ──`;

/** The time of the run that is being replayed: it stands at the last event and goes on at the replay's speed. */
export class RunClock {
  #runTime = 0;
  #setAt = 0;
  readonly #speed: number;
  readonly #wall: () => number;

  constructor(speed: number, wall: () => number = Date.now) {
    this.#speed = speed;
    this.#wall = wall;
  }

  /** An event of this time is shown now. */
  set(runTime: number): void {
    this.#runTime = runTime;
    this.#setAt = this.#wall();
  }

  readonly now = (): number => this.#runTime + (this.#wall() - this.#setAt) * this.#speed;
}

interface Keys {
  /** The next key; nothing once there will be no more. */
  next(): Promise<string | undefined>;
  /** Gives the terminal back. */
  close(): void;
}

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

const isLeaving = (key: string | undefined): boolean =>
  key === undefined || key === "q" || key === CTRL_C || key === CTRL_D;

function keysFrom(stdin: ReadStream): Keys {
  const waiting: ((key: string | undefined) => void)[] = [];
  const typed: string[] = [];
  const hear = (chunk: Buffer): void => {
    const key = chunk.toString("utf8");
    const first = waiting.shift();
    if (first) first(key);
    else typed.push(key);
  };
  const end = (): void => {
    for (const resolve of waiting.splice(0)) resolve(undefined);
  };
  stdin.setRawMode(true);
  stdin.on("data", hear);
  stdin.once("end", end);
  stdin.resume();
  return {
    next: () => (typed.length > 0 ? Promise.resolve(typed.shift()) : new Promise((resolve) => waiting.push(resolve))),
    close() {
      stdin.off("data", hear);
      stdin.off("end", end);
      stdin.setRawMode(false);
      stdin.pause();
      end();
    },
  };
}
