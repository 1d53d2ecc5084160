// What a store keeps of triggers: in which cell, up to when each has been looked after, and the firings whose run
// waits.

import type { Project } from "../../services/project/read-project.ts";
import { projectHere } from "../../services/project/trust-project.ts";
import { refusal } from "../../services/refusals.ts";
import type { Session } from "../../services/session/session.ts";
import { withStore } from "../../services/session/store.ts";
import type { Firing, Firings, TriggerState } from "../../storage/firings.ts";
import type { RunStore } from "../../storage/store.ts";
import { GRACE_MS, MOST_CAUGHT_UP } from "./due.ts";
import { isRendered, type KnownTrigger } from "./known-trigger.ts";

/** Nothing where there are no cells. One that does not exist is refused when it fires, so its name decides till then. */
export function cellOfTrigger({ cells }: Firings, { id, cell }: KnownTrigger): string | undefined {
  if (!cells) return undefined;
  return cell !== undefined && cells.names.includes(cell) ? cell : cells.ofName(id);
}

/** Where a firing and its run go. */
export interface FiringPlace {
  readonly cell: string;
  /** All that there are. */
  readonly cells: readonly string[];
}

/** `rendered`: what the `cell` of the trigger comes to for this firing. Nothing where there are no cells. */
export function placeOf(firings: Firings, trigger: KnownTrigger, rendered?: string): FiringPlace | undefined {
  const own = cellOfTrigger(firings, trigger);
  return own === undefined ? undefined : { cell: rendered ?? own, cells: firings.cells?.names ?? [] };
}

/** What is kept of the trigger; nothing when its cell does not answer. */
export async function reachedFirings(firings: Firings, trigger: KnownTrigger): Promise<Firings | undefined> {
  const cell = cellOfTrigger(firings, trigger);
  if (cell === undefined) return firings;
  const own = await firings.cells?.within(cell);
  // Firings of one whose `cell` is rendered may be in any of them.
  return own && isRendered(trigger.cell) ? { ...own, list: firings.list } : own;
}

export const stateIfReached = async (firings: Firings, trigger: KnownTrigger): Promise<TriggerState | undefined> =>
  (await reachedFirings(firings, trigger))?.state(trigger.id);

/** The same, for what cannot be done without it. */
export async function firingsOfTrigger(firings: Firings, trigger: KnownTrigger): Promise<Firings> {
  const own = await reachedFirings(firings, trigger);
  if (own) return own;
  throw refusal(
    `the trigger ${trigger.name} belongs to the cell ${cellOfTrigger(firings, trigger)}, which does not answer. Try again when it can be reached`,
  );
}

/** Triggers that are looked after together: in one cell, and without waiting for another. */
export interface TriggerPart {
  /** Absent where there are no cells. */
  readonly cell?: string;
  readonly triggers: readonly KnownTrigger[];
  /** They follow runs of all cells, or fire in any: runs are started and firings settled by the other part. */
  readonly isWide: boolean;
}

export function triggerParts(firings: Firings, triggers: readonly KnownTrigger[]): readonly TriggerPart[] {
  const { cells } = firings;
  if (!cells) return [{ triggers, isWide: false }];
  return cells.names.flatMap((cell) => {
    const own = triggers.filter((trigger) => cellOfTrigger(firings, trigger) === cell);
    const wide = own.filter(isWide);
    return [
      { cell, triggers: own.filter((trigger) => !isWide(trigger)), isWide: false },
      ...(wide.length > 0 ? [{ cell, triggers: wide, isWide: true }] : []),
    ];
  });
}

const isWide = ({ on_run, cell }: KnownTrigger): boolean => on_run !== undefined || isRendered(cell);

/** Firings of the past are kept for a month. */
export const KEPT_MS = 30 * 24 * 3600 * 1000;
/** So many records of a time to come are looked through. */
const MOST = 10_000;

/**
 * Up to when a trigger has been looked after. A clock that was fast may have left a time there that has not come, and
 * nothing would fire until then. `back`: from when on to look again in that case.
 */
export async function triggerSeen(
  firings: Firings,
  trigger: string,
  { now, back = now }: { readonly now: number; readonly back?: number },
): Promise<TriggerState> {
  const state = await firings.state(trigger);
  // A moment ahead is the difference between two who know the time, and what came in it was fired, not missed.
  if (state.seenUntil === null || state.seenUntil <= now + GRACE_MS) return state;
  await firings.takeBack(trigger, Math.min(back, await beforeForgotten(firings, trigger, now)), now);
  return firings.state(trigger);
}

/** Before the first moment whose record is taken back: the fast clock passed over it, and its time may come. */
async function beforeForgotten(firings: Firings, trigger: string, now: number): Promise<number> {
  const records = [
    ...(await firings.list({ trigger, status: "skipped", limit: MOST })),
    ...(await firings.list({ trigger, status: "failed", limit: MOST })),
  ];
  const moments = records
    .filter(({ firedAt }) => Date.parse(firedAt) > now)
    .map(momentOf)
    .filter((moment) => !Number.isNaN(moment));
  return Math.max(Math.min(now, ...moments.map((moment) => moment - 1)), now - KEPT_MS);
}

/** The first that it stands for. */
function momentOf(firing: Firing): number {
  const { scheduled_at = "" } = (firing.body.cause ?? {}) as { readonly scheduled_at?: string };
  return Date.parse(leftOutOf(firing)?.from ?? scheduled_at);
}

export interface RecordedLeftOut {
  readonly count: number;
  /** The first and the last of them, as ISO times. */
  readonly from: string;
  readonly to: string;
}

export const leftOutOf = ({ body }: Pick<Firing, "body">): RecordedLeftOut | undefined =>
  (body.cause as { readonly left_out?: RecordedLeftOut } | undefined)?.left_out;

/** So many records of what was skipped since are looked through: those of a whole catching up, and more. */
const MOST_SKIPPED = 2 * MOST_CAUGHT_UP;

export async function newestLeftOut(firings: Firings, trigger: string): Promise<Firing | undefined> {
  const skipped = await firings.list({ trigger, status: "skipped", limit: MOST_SKIPPED });
  return skipped.find((firing) => leftOutOf(firing) !== undefined);
}

export const withFirings = <Answer>(
  session: Session,
  use: (firings: Firings, project: Project, store: RunStore) => Answer | Promise<Answer>,
): Promise<Answer> =>
  withStore(session, async (store) => {
    const { firings } = store.state;
    if (!firings) throw refusal("this store keeps no firings");
    await settleWaiting(store, firings);
    return use(firings, projectHere(session, { needsNoPlugin: true }), store);
  });

/** Firings whose run waits for a person are over when the run is: the next process that lists them records that. */
export async function settleWaiting(store: RunStore, firings: Firings): Promise<void> {
  for (const { runId } of await firings.list({ status: "waits" })) {
    const run = await store.summary(runId);
    if (run?.status === "paused" || run?.status === "queued") continue;
    if (run?.status !== "running") await firings.settle(runId, "ended", run?.status ?? "its run was removed");
    // Its driver is gone, and a run of a trigger is resumed by itself. On a fleet its workers do that.
    else if (run.crashed && !store.fleet) await firings.goOn(runId);
  }
}

export const sessionOfFirings = ({
  session,
  project,
}: {
  readonly session: Session;
  readonly project: Project;
}): Session => ({ ...session, cwd: project.dir, project: { ...session.project, people: project.settings } });
