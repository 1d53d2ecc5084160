// Rounds over the triggers of one cell, or of a store without cells: what is due is fired, and every firing gets its run.
import type { HostClock } from "../../storage/clock.ts";
import type { Firing, Firings } from "../../storage/firings.ts";
import type { FiringWorld } from "./fire.ts";
import type { FiredRuns, FiringGround } from "./fired-runs.ts";
import { KEPT_MS, settleWaiting, type TriggerPart } from "./firings.ts";
import { FollowedRuns } from "./followed-runs.ts";
import { inAnyOrder, type KnownTrigger } from "./known-trigger.ts";
import { fireMoments, quietSchedules } from "./scheduled-moments.ts";

/** `firings` are those of all cells. */
interface RoundsGround extends Pick<FiringGround, "store" | "firings" | "session" | "said"> {
  readonly runs: FiredRuns;
  readonly clock: HostClock;
  /** Those of all cells: a firing may lie in another cell than its trigger. */
  readonly triggers: readonly KnownTrigger[];
  readonly world: (firings: Firings) => FiringWorld;
  /** Asked before each piece of a round. */
  readonly isStopping: () => Promise<boolean>;
}

/** So many triggers are fired before runs of them are started. */
const AT_A_TIME = 20;
/** So many of them at a time on a fleet. */
const SIDE_BY_SIDE = 6;
const EXPIRE_MS = 60_000;

export class TriggerRounds {
  readonly #firedHere = new FiredHere();
  #expiredAt = Number.NEGATIVE_INFINITY;
  #isAway = false;
  #followed: FollowedRuns | undefined;

  constructor(
    private readonly part: TriggerPart,
    private readonly ground: RoundsGround,
  ) {}

  /** Those of a part that starts no runs now are not remembered. */
  recorded(runId: string): void {
    if (!this.part.isWide && !this.#isAway) this.#firedHere.add(runId);
  }

  /** A round of a cell that is away is over at once: its moments are looked at when it is back. */
  async round(): Promise<void> {
    const { clock, store } = this.ground;
    const firings = await this.#reached();
    if (!firings) return;
    const now = clock.now();
    const { triggers, isWide } = this.part;
    if (!isWide) await settleWaiting(store, firings);
    const quiet = await quietSchedules(firings, triggers, now);
    const awake = inAnyOrder(triggers, store.fleet !== undefined).filter((one) => !quiet.has(one));
    // Hundreds may be due at one moment: the first runs do not wait for the last firing.
    for (let from = 0; from < awake.length; from += AT_A_TIME) {
      await this.#sideBySide(awake.slice(from, from + AT_A_TIME), async (trigger) => {
        if (trigger.schedule !== undefined) await fireMoments(this.#groundOf(firings), trigger, trigger.schedule, now);
        else if (trigger.on_run) await this.#following(firings).fireFor(trigger, now);
      });
      if (!isWide) await this.#startWaiting(firings);
    }
    this.#isAway = false;
    if (isWide) return;
    if (awake.length === 0) await this.#startWaiting(firings);
    // Also after the clock was set back.
    if (Math.abs(now - this.#expiredAt) < EXPIRE_MS) return;
    await firings.expire(now - KEPT_MS, now);
    this.#expiredAt = now;
  }

  /** Said once, and once more when it is back. */
  async #reached(): Promise<Firings | undefined> {
    const { firings, said } = this.ground;
    const { cell, isWide } = this.part;
    if (cell === undefined) return firings;
    const own = await firings.cells?.within(cell);
    if (!own && !this.#isAway && !isWide) said?.(`The cell ${cell} does not answer: ${this.#whatWaits()}.`);
    if (own && this.#isAway && !isWide) said?.(`The cell ${cell} answers again.`);
    if (!own) this.#isAway = true;
    return own && isWide ? { ...own, list: firings.list } : own;
  }

  #whatWaits(): string {
    const names = this.part.triggers.map(({ name }) => name);
    if (names.length === 0) return "its runs wait until it is back";
    return `its runs wait until it is back, and so do its triggers: ${names.join(", ")}`;
  }

  /** Several at a time on a fleet, where each waits for the database again and again; one after the other in a home. */
  #sideBySide<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
    return sideBySide(items, this.ground.store.fleet ? SIDE_BY_SIDE : 1, work);
  }

  #groundOf(firings: Firings) {
    const away = this.#isAway ? `the cell ${this.part.cell} did not answer` : undefined;
    return { ...this.ground, firings, world: () => this.ground.world(firings), away };
  }

  #following(firings: Firings): FollowedRuns {
    this.#followed ??= new FollowedRuns(this.#groundOf(firings));
    return this.#followed;
  }

  /** Oldest first. What another process has, or what its group has no room for, waits. */
  async #startWaiting(firings: Firings): Promise<void> {
    const { triggers, store, clock, runs: driven, isStopping } = this.ground;
    const known = new Map(triggers.map((trigger) => [trigger.id, trigger]));
    const full = new Set<string>();
    /** Of a group: how many could not be taken. So many as its limit may be driven by others; one more has no room. */
    const untaken = new Map<string, number>();
    const fired = await firings.list({ status: "fired", order: "oldest" });
    const started = roundRobin(
      this.#firedHere.first(
        fired.filter(({ isPlaced }) => !isPlaced),
        clock.now(),
      ),
      keyOf,
    );
    // Those that end make room for others of their key.
    const placed = fired.filter(({ isPlaced }) => isPlaced);
    const runs = placed.length > 1 ? await store.summaries(placed.map(({ runId }) => runId)) : [];
    const goingOn = new Set(runs.filter(({ status }) => IS_GOING_ON.has(status)).map(({ runId }) => runId));
    const look = async (firing: Firing): Promise<void> => {
      const { group, isPlaced } = firing;
      if (await isStopping()) return;
      if (isPlaced) {
        const isOver = !goingOn.has(firing.runId) && (await driven.settleIfOver(firing));
        if (group?.limit === 1 && !isOver) full.add(group.key);
      } else if (!group || !full.has(group.key)) {
        const isTaken = await this.#start(firing, known.get(firing.trigger));
        if (!group) return;
        if (!isTaken) untaken.set(group.key, (untaken.get(group.key) ?? 0) + 1);
        if (group.limit === 1 || (untaken.get(group.key) ?? 0) > group.limit) full.add(group.key);
      }
    };
    await this.#sideBySide(placed, look);
    // Those of one key one after the other, as their limit says.
    for (const round of started) await this.#sideBySide(round, look);
  }

  /** False when another process has it, or its group has no room. */
  async #start(firing: Firing, trigger: KnownTrigger | undefined): Promise<boolean> {
    const { runs, firings } = this.ground;
    if (!trigger || runs.has(firing.runId)) return true;
    if (!(await firings.claim(firing.runId))) return false;
    await runs.start(firing, trigger);
    return true;
  }
}

const IS_GOING_ON: ReadonlySet<string> = new Set(["queued", "running"]);

/** Those of one key go on in the order of their making, at most so many at a time as its limit says. */
const keyOf = ({ group, trigger }: Firing): string => group?.key ?? trigger;

/** So long a firing is left to the process that recorded it, while this one has others to start. */
const OTHERS_MS = 5000;

/** Ids of firings that this process recorded, until their runs are placed. */
export class FiredHere {
  #ids = new Set<string>();

  add(runId: string): void {
    this.#ids.add(runId);
  }

  /** Those of keys that this process just fired for, and old ones: the process of the others starts them. Else all. */
  first(waiting: readonly Firing[], now: number): readonly Firing[] {
    const ours = waiting.filter(({ runId, firedAt }) => this.#ids.has(runId) || now - Date.parse(firedAt) > OTHERS_MS);
    this.#ids = new Set(ours.map(({ runId }) => runId));
    const keys = new Set(ours.map(keyOf));
    return ours.length === 0 ? waiting : waiting.filter((firing) => keys.has(keyOf(firing)));
  }
}

/** So many at a time. All are done when it resolves, also when one has failed: no more begin then, and it throws. */
export async function sideBySide<Item>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const failed: unknown[] = [];
  const line = async (): Promise<void> => {
    for (let next = waiting.next(); !next.done && failed.length === 0; next = waiting.next())
      await work(next.value).catch((problem: unknown) => failed.push(problem));
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, line));
  if (failed.length > 0) throw failed[0];
}

/** One of each key, then the next of each: a thousand of one key keep no other waiting. */
export function roundRobin<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly (readonly Item[])[] {
  const counts = new Map<string, number>();
  const rounds: Item[][] = [];
  for (const item of items) {
    const round = counts.get(keyOf(item)) ?? 0;
    counts.set(keyOf(item), round + 1);
    const others = rounds[round];
    if (others) others.push(item);
    else rounds.push([item]);
  }
  return rounds;
}
