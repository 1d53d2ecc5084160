// A group whose branches run on several workers. One drive hands them out (`spread-coordinator.ts`), the others take one after
// the other. Each records into a stream of its own, which the first takes over into the run's journal: all read one order.

import type { RunEvent } from "../../../base/events/registry.ts";
import type { BranchBody, BranchOptions, SpreadGroup } from "../../../engine/durable.ts";
import type { DriveOptions } from "../../../storage/drive.ts";
import { follow } from "../../../storage/follow-signal.ts";
import { never, slidingPool } from "../../../storage/pool.ts";

/** The port of a drive, as far as a spread group needs it. */
export interface SpreadPort {
  readonly isAbandoned: boolean;
  adopt(event: RunEvent, stream: string): void;
  commit(): void | Promise<void>;
  /** While this lasts the drive is not left. */
  working<Value>(work: () => Promise<Value>): Promise<Value>;
  lookAgainAfter(ms: number): Promise<void>;
}

export type SpreadOptions<Branch, End> = BranchOptions<Branch, End> & { readonly spread: SpreadGroup<Branch, End> };

export interface Spreading {
  /** The options of the drive's port, changed as it needs. */
  portOptions(options: DriveOptions): DriveOptions;
  branches<Branch, End>(
    port: SpreadPort,
    branches: readonly Branch[],
    body: BranchBody<Branch, End>,
    options: SpreadOptions<Branch, End>,
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

export interface SpreadNews {
  readonly streams: readonly StreamNews[];
  readonly handedBack: readonly HandedBack[];
  /** No worker runs any of them, and nothing more will come. */
  readonly isOver: boolean;
  /** Why one of the shares cannot be driven: nor can the group then. */
  readonly failed?: Error;
}

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

/** Several streams as one. Each keeps its own order, whatever its times: a clock may have been set back, or another machine went on with it. */
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

export class ShareEnded extends Error {
  override readonly name = "ShareEnded";
}

const LOOK_MS = 200;

/** Takes branches of a group that another drive handed out: replays what the run recorded up to the group, and records none of that. */
export class SpreadParticipant implements Spreading {
  /** Fails with `ShareEnded` when it is, and with whatever kept it from that. */
  readonly ended: Promise<never>;
  #leave: (reason: unknown) => void = () => {};
  #isThere = false;

  /** `own`: what an earlier drive of this share has recorded. */
  constructor(
    private readonly share: TakenShare,
    private readonly own: readonly RunEvent[],
  ) {
    this.ended = new Promise((_, reject) => {
      this.#leave = reject;
    });
    this.ended.catch(() => {});
  }

  portOptions(options: DriveOptions): DriveOptions {
    return { ...options, isSilent: () => !this.#isThere };
  }

  branches<Branch, End>(
    port: SpreadPort,
    branches: readonly Branch[],
    body: BranchBody<Branch, End>,
    options: SpreadOptions<Branch, End>,
  ): Promise<readonly (End | undefined)[]> {
    // One that the run has left behind: all of it is recorded.
    if (options.spread.key !== this.share.key) return slidingPool(branches, body, options);
    this.#isThere = true;
    this.#takeAll(port, branches, body, options).catch((problem: unknown) => this.#leave(problem));
    return never();
  }

  async #takeAll<Branch, End>(
    port: SpreadPort,
    branches: readonly Branch[],
    body: BranchBody<Branch, End>,
    { spread, signal }: SpreadOptions<Branch, End>,
  ): Promise<void> {
    const share = this.share;
    const byId = new Map(branches.map((branch) => [spread.idOf(branch), branch]));
    const done = new Set(this.own.map(spread.endedBy));
    const begun = new Set<string>();
    const handedBack: HandedBack[] = [];
    const stop = new AbortController();
    const leave = follow(signal, stop);
    const stopAll = (): void => stop.abort(new Error("another member of the group failed"));
    // A look that fails is not the last one.
    const looking = setInterval(() => {
      if (port.isAbandoned) return clearInterval(looking);
      share.isStopped().then(
        (isStopped) => (isStopped ? stopAll() : undefined),
        () => {},
      );
    }, LOOK_MS);
    let waiting = [...(await share.claimed())];
    const next = async (): Promise<string | undefined> => {
      for (;;) {
        const id = waiting.shift() ?? (await share.claim());
        if (id === undefined || (!done.has(id) && !begun.has(id))) return id;
      }
    };
    const take = async (): Promise<void> => {
      while (!stop.signal.aborted && !port.isAbandoned) {
        const id = await port.working(next);
        const branch = id === undefined ? undefined : byId.get(id);
        if (id === undefined || branch === undefined) return;
        begun.add(id);
        const end = await body(branch, stop.signal);
        if (!spread.isTold(end)) handedBack.push({ id, end });
        if (spread.stopsAtOnce(end)) {
          stopAll();
          await share.stopAll();
        }
      }
    };
    try {
      do {
        await Promise.all(Array.from({ length: share.concurrency }, take));
        // A claim whose answer was lost with the connection is known only here.
        waiting = (await share.claimed()).filter((id) => byId.has(id) && !done.has(id) && !begun.has(id));
      } while (waiting.length > 0 && !stop.signal.aborted && !port.isAbandoned);
    } finally {
      clearInterval(looking);
      leave();
    }
    // The drive was left: another goes on with the share.
    if (port.isAbandoned) return;
    await port.working(async () => {
      await port.commit();
      await share.end(handedBack);
    });
    this.#leave(new ShareEnded());
  }
}
