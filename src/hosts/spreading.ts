// A group whose branches run on several workers. One drive hands them out and looks after them; the others take one after
// the other. Each of these has a stream of its own, which only it writes; the one that looks after them takes over what
// they record into the run's journal, so that there is one order for everybody who reads it.

import type { BranchBody, BranchOptions, SpreadGroup } from "../engine/durable.ts";
import type { RunEvent } from "../events/registry.ts";
import type { DriveOptions } from "./drive.ts";

/** The port of a drive, as far as a spread group needs it. */
export interface SpreadPort {
  readonly isAbandoned: boolean;
  adopt(event: RunEvent, stream: string): void;
  commit(): void | Promise<void>;
  /** While this lasts the drive is not left. */
  working<Value>(work: () => Promise<Value>): Promise<Value>;
  lookAgainAfter(ms: number): Promise<void>;
}

export interface Spreading {
  /** The options of the drive's port, changed as it needs. */
  portOptions(options: DriveOptions): DriveOptions;
  branches<Branch, End>(
    port: SpreadPort,
    branches: readonly Branch[],
    body: BranchBody<Branch, End>,
    options: BranchOptions<Branch, End> & { readonly spread: SpreadGroup<Branch, End> },
  ): Promise<readonly (End | undefined)[]>;
}

/** An end that no event tells: a pause, a halt. */
export interface HandedBack {
  readonly id: string;
  /** Plain data. */
  readonly end: unknown;
}

export interface StreamNews {
  readonly stream: string;
  /** In order; their numbers are those of the stream. */
  readonly events: readonly RunEvent[];
  /** Those up to this number are in the run's journal already. */
  readonly taken: number;
}

/** What became of handed-out branches since the last look. */
export interface SpreadNews {
  readonly streams: readonly StreamNews[];
  readonly handedBack: readonly HandedBack[];
  /** No worker runs any of them, and nothing more will come. */
  readonly isOver: boolean;
  /** Why one of the shares cannot be driven: nor can the group then. */
  readonly failed?: Error;
}

/** Branches of one group that were handed out. */
export interface HandedOut {
  readonly items: ReadonlySet<string>;
  look(): Promise<SpreadNews>;
  /** No other is begun, and those that run are aborted. */
  stop(): Promise<void>;
  /** What was kept for them is removed. */
  close(): Promise<void>;
}

/** Where a drive hands out branches. */
export interface SpreadGround {
  /** What an earlier drive handed out for the same request, and did not get to see the end of. */
  find(key: string): Promise<HandedOut | undefined>;
  /** What was handed out for requests before this one. */
  leftovers(key: string): Promise<readonly HandedOut[]>;
  /** Nothing when there is no other worker to take any. */
  handOut(key: string, items: readonly string[], concurrency: number): Promise<HandedOut | undefined>;
}

/** A share of a spread group, for the worker that takes it. */
export interface TakenShare {
  readonly key: string;
  /** How many of its branches may run at a time. */
  readonly concurrency: number;
  /** Those that were claimed for this share before. */
  claimed(): Promise<readonly string[]>;
  /** The next one; nothing when none is left, or the rest was stopped. */
  claim(): Promise<string | undefined>;
  isStopped(): Promise<boolean>;
  /** The rest is not run, here and elsewhere. */
  stopAll(): Promise<void>;
  end(handedBack: readonly HandedBack[]): Promise<void>;
}

interface Placed extends Pick<StreamNews, "stream" | "taken"> {
  readonly event: RunEvent;
}

/**
 * Several streams as one. What a stream says comes in its own order, whatever its times are: a clock may have been set back
 * in the middle, or another machine went on with it.
 */
export function inOrderOfTime(streams: readonly StreamNews[]): readonly Placed[] {
  const timed = streams.flatMap(({ stream, taken, events }) => {
    let at = "";
    return events.map((event) => {
      if (event.ts > at) at = event.ts;
      return { at, placed: { stream, taken, event } };
    });
  });
  timed.sort((one, two) => (one.at < two.at ? -1 : one.at > two.at ? 1 : 0));
  return timed.map(({ placed }) => placed);
}
