// Plays a run's events in the live tree: in time, or one for each key.
import type { Beat } from "../../services/runs/replay.ts";
import { lineOf } from "../live/event-line.ts";
import { LiveTree } from "../live/live-tree.ts";
import { paintLine } from "../live/paint-line.ts";
import type { Output } from "../output.ts";
import { duration } from "../text/time.ts";
import { isLeaving, type Keys } from "./keys.ts";

export interface Playing {
  readonly beats: AsyncIterable<Beat>;
  readonly output: Output;
  readonly speed: number;
  /** One event for each key; absent: in time. */
  readonly keys?: Keys;
  readonly signal: AbortSignal;
}

/** Whether it was played to its end. */
export async function play({ beats, output, speed, keys, signal }: Playing): Promise<boolean> {
  const clock = new RunClock(keys ? 0 : speed);
  const tree = new LiveTree(output, clock.now);
  const { dim, cyan } = output.colors;
  if (keys) output.say(dim("Any key shows the next event; q leaves."));
  try {
    for await (const { event, wait_ms, passed_over } of beats) {
      const line = lineOf(event);
      // Without words on the screen a key would seem to do nothing.
      if (keys && line) {
        if (isLeaving(await keys.next())) return false;
      } else if (!keys) await sleep(wait_ms, signal);
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

export const passedOver = ({ what, ms }: NonNullable<Beat["passed_over"]>): string =>
  what === "between drives" ? `── not driven for ${duration(ms)} ──` : `── ${duration(ms)} without an event ──`;

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (ms < 1 || signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });

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
