// A drive that takes branches of a group which another one handed out. It comes to the group by what the run has recorded,
// records nothing on the way, and ends there when no branch is left to take.
import type { BranchBody, BranchOptions, SpreadGroup } from "../engine/durable.ts";
import type { RunEvent } from "../events/registry.ts";
import type { DriveOptions } from "./drive.ts";
import { slidingPool } from "./pool.ts";
import type { HandedBack, Spreading, SpreadPort, TakenShare } from "./spreading.ts";

/** The share is done. */
export class ShareEnded extends Error {
  override readonly name = "ShareEnded";
}

/** How often to look whether the rest was stopped. */
const LOOK_MS = 200;

const never = <Value>(): Promise<Value> => new Promise(() => {});

export class SpreadParticipant implements Spreading {
  /** Fails with `ShareEnded` when it is, and with whatever kept it from that. */
  readonly ended: Promise<never>;
  readonly #share: TakenShare;
  readonly #own: readonly RunEvent[];
  #leave: (reason: unknown) => void = () => {};
  #isThere = false;

  /** `own`: what an earlier drive of this share has recorded. */
  constructor(share: TakenShare, own: readonly RunEvent[]) {
    this.#share = share;
    this.#own = own;
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
    options: BranchOptions<Branch, End> & { readonly spread: SpreadGroup<Branch, End> },
  ): Promise<readonly (End | undefined)[]> {
    // One that the run has left behind: all of it is recorded.
    if (options.spread.key !== this.#share.key) return slidingPool(branches, body, options);
    this.#isThere = true;
    this.#takeAll(port, branches, body, options).catch((problem: unknown) => this.#leave(problem));
    return never();
  }

  async #takeAll<Branch, End>(
    port: SpreadPort,
    branches: readonly Branch[],
    body: BranchBody<Branch, End>,
    { spread, signal }: BranchOptions<Branch, End> & { readonly spread: SpreadGroup<Branch, End> },
  ): Promise<void> {
    const share = this.#share;
    const byId = new Map(branches.map((branch) => [spread.idOf(branch), branch]));
    const done = new Set(this.#own.map(spread.endedBy));
    const begun = new Set<string>();
    const handedBack: HandedBack[] = [];
    const stop = new AbortController();
    const follow = (): void => stop.abort(signal.reason);
    if (signal.aborted) follow();
    signal.addEventListener("abort", follow, { once: true });
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
      signal.removeEventListener("abort", follow);
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
