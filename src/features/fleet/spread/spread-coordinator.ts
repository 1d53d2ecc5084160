// The drive that hands out the branches of a group: it copies what they record into the run's journal, and finds the
// end of each there, as a resume would. The group itself decides what stops the rest.
import { AsyncLocalStorage } from "node:async_hooks";
import { isInside } from "../../../base/events/key.ts";
import type { RunEvent } from "../../../base/events/registry.ts";
import { type Recall, RecallFold, type Recorded } from "../../../base/events/visits/recall.ts";
import type { BranchBody, SpreadGroup } from "../../../engine/durable.ts";
import type { DriveOptions } from "../../../storage/drive.ts";
import { never, slidingPool } from "../../../storage/pool.ts";
import {
  type HandedOut,
  inOrderOfTime,
  type SpreadGround,
  type Spreading,
  type SpreadNews,
  type SpreadOptions,
  type SpreadPort,
} from "./spreading.ts";

const LOOK_MS = 100;
/** The same while they end. */
const ENDING_MS = 25;

/** What is noted in here others have recorded. Beside it other steps of the run may note what is theirs. */
const silence = new AsyncLocalStorage<true>();

export class SpreadCoordinator implements Spreading {
  #recall: HeardRecall | undefined;

  constructor(private readonly ground: SpreadGround) {}

  portOptions(options: DriveOptions): DriveOptions {
    this.#recall = new HeardRecall(options.recall);
    return { ...options, recall: this.#recall, isSilent: () => silence.getStore() === true };
  }

  async branches<Branch, End>(
    port: SpreadPort,
    branches: readonly Branch[],
    body: BranchBody<Branch, End>,
    options: SpreadOptions<Branch, End>,
  ): Promise<readonly (End | undefined)[]> {
    const { spread, concurrency } = options;
    this.#recall?.listenTo(spread.key);
    await port.commit();
    for (const old of await this.ground.leftovers(spread.key)) await this.#takeOver(port, old, spread);
    const open = branches.filter((branch) => !spread.isRecorded(branch));
    const ids = open.map(spread.idOf);
    const handed =
      (await this.ground.find(spread.key)) ??
      (open.length > 1 ? await this.ground.handOut(spread.key, ids, concurrency) : undefined);
    if (!handed) return slidingPool(branches, body, options);

    const ends = new Map<string, End | undefined>();
    let isStopped = false;
    const ended = (id: string, end: End): void => {
      ends.set(id, end);
      if (options.stopsOthers(end)) isStopped = true;
    };
    // No fiber: branches that run elsewhere are looked after only when these have ended, so these must not wait.
    const runHere = async (here: readonly Branch[]): Promise<void> => {
      const stopsOthers = (end: End): boolean => {
        const stops = options.stopsOthers(end);
        isStopped ||= stops;
        return stops;
      };
      const found = await slidingPool(here, body, { ...options, fiber: undefined, stopsOthers });
      for (const [at, branch] of here.entries()) ends.set(spread.idOf(branch), found[at]);
    };
    const isElsewhere = (branch: Branch): boolean => handed.items.has(spread.idOf(branch)) && open.includes(branch);
    await runHere(branches.filter((branch) => !isElsewhere(branch)));

    const elsewhere = new Map(branches.filter(isElsewhere).map((branch) => [spread.idOf(branch), branch]));
    const untouched = new AbortController().signal;
    let isStopSent = false;
    for (;;) {
      // The drive was left, or the run is another's: the branches are not this one's to stop.
      if (port.isAbandoned) return never();
      if ((isStopped || options.signal.aborted) && !isStopSent) {
        isStopSent = true;
        await handed.stop();
      }
      const news = await handed.look();
      if (news.failed) throw news.failed;
      for (const id of await this.#adopt(port, news, spread)) {
        const branch = elsewhere.get(id);
        if (!branch || ends.has(id)) continue;
        ended(id, await silence.run(true, () => body(branch, untouched, undefined, true)));
      }
      for (const { id, end } of news.handedBack) if (!ends.has(id)) ended(id, end as End);
      if (news.isOver) break;
      if (!isStopped || isStopSent) await port.lookAgainAfter(isStopSent ? ENDING_MS : LOOK_MS);
    }
    const untaken = [...elsewhere.values()].filter((branch) => !ends.has(spread.idOf(branch)));
    if (untaken.length > 0 && !isStopped && !options.signal.aborted) await runHere(untaken);
    await handed.close();
    return branches.map((branch) => ends.get(spread.idOf(branch)));
  }

  /** Branches of an earlier request whose end that drive did not see: what they recorded is kept, and what could not be driven is handed out anew. */
  async #takeOver<Branch, End>(port: SpreadPort, old: HandedOut, spread: SpreadGroup<Branch, End>): Promise<void> {
    await old.stop();
    for (;;) {
      if (port.isAbandoned) return never();
      const news = await old.look();
      await this.#adopt(port, news, spread);
      if (news.isOver) break;
      await port.lookAgainAfter(LOOK_MS);
    }
    await old.close();
  }

  /** Writes what is new into the run's journal and gives the branches that have ended. */
  async #adopt<Branch, End>(
    port: SpreadPort,
    { streams }: SpreadNews,
    spread: SpreadGroup<Branch, End>,
  ): Promise<readonly string[]> {
    const ended: string[] = [];
    for (const { stream, taken, event } of inOrderOfTime(streams)) {
      if (event.seq > taken) {
        port.adopt(event, stream);
        spread.heard(event);
      }
      this.#recall?.hear(event);
      const id = spread.endedBy(event);
      if (id !== undefined) ended.push(id);
    }
    await port.commit();
    return ended;
  }
}

// What earlier drives recorded, and what branches of the present one have recorded elsewhere.

class HeardRecall implements Recall {
  #group: string | undefined;
  #heard = new RecallFold();

  constructor(private readonly before: Recall) {}

  listenTo(group: string): void {
    this.#group = group;
    this.#heard = new RecallFold();
  }

  hear(event: RunEvent): void {
    this.#heard.add(event);
  }

  get(key: string): Recorded | undefined {
    const heard = this.#group !== undefined && isInside(key, this.#group) ? this.#heard.get(key) : undefined;
    return heard ?? this.before.get(key);
  }

  spentIn(prefix: string): number {
    return this.before.spentIn(prefix);
  }

  hookRan(key: string): boolean {
    return this.before.hookRan(key) || this.#heard.hookRan(key);
  }

  usedInside(group: string) {
    return this.before.usedInside(group);
  }

  filesInside(key: string) {
    return this.before.filesInside(key);
  }

  leftRunning() {
    return this.before.leftRunning();
  }

  get retryVia() {
    return this.before.retryVia;
  }
  get spentUsd() {
    return this.before.spentUsd;
  }
  get namedSessions() {
    return this.before.namedSessions;
  }
  get activeMs() {
    return this.before.activeMs;
  }
  get drives() {
    return this.before.drives;
  }
}
