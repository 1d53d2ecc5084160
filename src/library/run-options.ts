// What running and resuming can be given.
import type { Asker } from "../engine/people/ask.ts";
import type { Clock } from "./clock.ts";
import type { RunEvent } from "./event.ts";
import type { Options } from "./options.ts";
import type { Store } from "./store.ts";

export interface RunOptions extends Options {
  /** By name. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Where the run is kept; the command line's store when left out. */
  readonly store?: Pick<Store, "home">;
  readonly clock?: Clock;
  /** Hears every event, redacted. What it throws is told once as a warning of the process; the run goes on. */
  readonly on?: (event: RunEvent) => void;
  /** Stops the run; it stays resumable. */
  readonly signal?: AbortSignal;
  /** Answers gates and questions; without it a gate pauses the run. */
  readonly ask?: Asker;
  readonly maxIterations?: number;
}

export interface ResumeOptions extends RunOptions {
  /** Start at this step. */
  readonly from?: string;
  /** Reuse nothing. */
  readonly force?: boolean;
}
