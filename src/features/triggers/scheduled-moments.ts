// Moments of schedules: each that is due is fired, and of those that a pause of the server missed every one is either
// fired, recorded, or counted in one record.
import type { Firings, TriggerState } from "../../storage/firings.ts";
import { isUnreadable } from "../../storage/store-error.ts";
import { dueMoments, MOST_CAUGHT_UP, type OlderMoments } from "./due.ts";
import { type FiringWorld, fire } from "./fire.ts";
import type { FiredRuns } from "./fired-runs.ts";
import { leftOutOf, type RecordedLeftOut, triggerSeen } from "./firings.ts";
import { type KnownTrigger, overlapOf } from "./known-trigger.ts";

const NO_SERVER = "no server was up";

export interface MomentsWorld {
  readonly firings: Firings;
  readonly runs: FiredRuns;
  /** As of now: the clock goes on while many are fired. */
  readonly world: () => FiringWorld;
  readonly isStopping: () => Promise<boolean>;
  readonly said?: (sentence: string) => void;
  /** Why no moment could be fired until now, where this process knows: its cell was away. */
  readonly away?: string;
}

/** No moment of it has come since it was looked after, and nothing else is to be done for it. */
function isQuiet(trigger: KnownTrigger, schedule: string, state: TriggerState | undefined, now: number): boolean {
  if (!state || state.seenUntil === null || state.hindered !== undefined || state.seenUntil > now) return false;
  if (state.paused) return true;
  const { fire: due, missed, leftOut } = dueMoments({ ...trigger, schedule }, state.seenUntil, now);
  return due.length + missed.length === 0 && leftOut === undefined;
}

/** So old what was seen of a schedule may be: moments since then are looked at again after a crash. */
const SEEN_MS = 10_000;

/** Of the schedules, those that are quiet; seen now and then. One statement for all of them, in a store that offers that. */
export async function quietSchedules(
  { together }: Firings,
  triggers: readonly KnownTrigger[],
  now: number,
): Promise<ReadonlySet<KnownTrigger>> {
  const scheduled = triggers.filter(({ schedule }) => schedule !== undefined);
  if (!together || scheduled.length === 0) return new Set();
  const states = await together.states(scheduled.map(({ id }) => id));
  const quiet = scheduled.filter((one) => isQuiet(one, one.schedule ?? "", states.get(one.id), now));
  const unseen = quiet.filter(({ id }) => now - (states.get(id)?.seenUntil ?? 0) >= SEEN_MS).map(({ id }) => id);
  if (unseen.length > 0) await together.see(unseen, now);
  return new Set(quiet);
}

export async function fireMoments(
  ground: MomentsWorld,
  trigger: KnownTrigger,
  schedule: string,
  now: number,
): Promise<void> {
  try {
    await fireDue(ground, trigger, schedule, now);
  } catch (problem) {
    // The next process that can fire it should report this as the reason, and not that no server was up.
    if (isUnreadable(problem)) await ground.firings.hinder?.(trigger.id, problem.message);
    throw problem;
  }
}

async function fireDue(ground: MomentsWorld, trigger: KnownTrigger, schedule: string, now: number): Promise<void> {
  const { firings, isStopping, away } = ground;
  const { paused, seenUntil, hindered } = await triggerSeen(firings, trigger.id, { now });
  // A schedule begins when it is first seen: what was before that it never missed.
  if (!paused && seenUntil !== null) {
    const { fire: due, missed, leftOut } = dueMoments({ ...trigger, schedule }, seenUntil, now);
    const whyNotFired = hindered === undefined ? (away ?? NO_SERVER) : `${NO_SERVER} that could fire it (${hindered})`;
    const whyMissed = `${whyNotFired} (catch_up: ${trigger.catch_up})`;
    const counted = leftOut ? await recordLeftOut(ground, trigger, { ...leftOut, whyNotFired }, now) : 0;
    for (const [moment, skipped] of [
      ...missed.map((one) => [one, whyMissed] as const),
      ...due.map((one) => [one] as const),
    ]) {
      if (moment <= counted) continue;
      if (await isStopping()) return;
      await fireMoment(ground, trigger, moment, now, skipped);
      // After a crash, the next process begins after this moment, and counts nothing twice.
      await firings.see(trigger.id, moment);
    }
  }
  await firings.see(trigger.id, now);
}

async function fireMoment(
  ground: MomentsWorld,
  trigger: KnownTrigger,
  moment: number,
  now: number,
  skipped?: string,
): Promise<void> {
  const scheduled_at = new Date(moment).toISOString();
  if (overlapOf(trigger) === "cancel_running" && skipped === undefined)
    await cancelBefore(ground, trigger, scheduled_at);
  const context = { name: trigger.name, fired_at: new Date(now).toISOString(), scheduled_at };
  const marks = [{ name: `at:${scheduled_at}` }];
  await fire(ground.world(), trigger, { context, marks, skipped });
}

/** Gives the last moment that is counted. Of two servers at once one has counted, and the other goes by that. */
async function recordLeftOut(
  { firings, world, said }: MomentsWorld,
  trigger: KnownTrigger,
  { count, from, to, whyNotFired }: OlderMoments & { readonly whyNotFired: string },
  now: number,
): Promise<number> {
  const leftOut = { count, from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const sentence = leftOutText(trigger, leftOut, whyNotFired);
  const { firing, isNew } = await fire(world(), trigger, {
    context: { name: trigger.name, fired_at: new Date(now).toISOString() },
    marks: [{ name: `left out from:${leftOut.from}` }],
    skipped: sentence,
    leftOut,
  });
  // Only `all` was to be caught up with.
  if (isNew && trigger.catch_up === "all") said?.(`Warning: of the trigger ${trigger.name}, ${sentence}`);
  const counted = Date.parse(leftOutOf(firing)?.to ?? leftOut.to);
  await firings.see(trigger.id, counted);
  return counted;
}

function leftOutText({ catch_up }: KnownTrigger, { count, from, to }: RecordedLeftOut, whyNotFired: string): string {
  const which = count === 1 ? `1 moment, ${from}, was` : `${count} moments, from ${from} to ${to}, were`;
  return catch_up === "all"
    ? `${which} left out: ${whyNotFired}, and catch_up: all catches up with the newest ${MOST_CAUGHT_UP} at most`
    : `${which} missed: ${whyNotFired} (catch_up: ${catch_up})`;
}

/** Not the run of this very moment, or of a later one, which another server may have started. */
async function cancelBefore({ firings, runs }: MomentsWorld, { id }: KnownTrigger, scheduledAt: string): Promise<void> {
  const fired = await firings.list({ trigger: id, status: "fired" });
  const waiting = await firings.list({ trigger: id, status: "waits" });
  for (const { runId, body } of [...fired, ...waiting]) {
    const { scheduled_at = "" } = (body.cause ?? {}) as { readonly scheduled_at?: string };
    if (scheduled_at >= scheduledAt) continue;
    await firings.settle(runId, "ended", "cancelled for the next one (overlap: cancel_running)");
    await runs.cancel(runId);
  }
}
