// Which moments of a schedule are to be fired now: those that have come, and of those that a pause of the server missed as
// many as the trigger wants to catch up with.
import {
  type Cron,
  DAY,
  HOUR,
  instantOf,
  isCalm,
  isDay,
  momentsBetween,
  nextMoment,
  parseCron,
  wallTime,
} from "./cron.ts";

export type CatchUp = "none" | "last" | "all";

export interface Scheduled {
  readonly schedule: string;
  readonly timezone: string;
  readonly catch_up: CatchUp;
}

export interface DueMoments {
  readonly fire: readonly number[];
  /** Missed, and not caught up with: each is recorded. */
  readonly missed: readonly number[];
  /** Missed before all of these, and too many for a record each. */
  readonly leftOut?: OlderMoments;
}

/** A moment is missed when it was not fired within this time: no server was up. */
export const GRACE_MS = 60_000;
/** `catch_up: all` goes back over so many: after a month away, minutes would make tens of thousands of runs. */
export const MOST_CAUGHT_UP = 500;
/** Of moments that are not caught up with, the newest have a record each. */
const MOST_RECORDED = 20;

/** `since`: up to when moments were looked at. A clock that was set back finds nothing new until it is there again. */
export function dueMoments({ schedule, timezone, catch_up }: Scheduled, since: number, now: number): DueMoments {
  const newestOf = (most: number) => newestMoments(parseCron(schedule), timezone, since, now, most);
  if (catch_up === "all") {
    const { newest: fire, older } = newestOf(MOST_CAUGHT_UP);
    return { fire, missed: [], ...(older ? { leftOut: older } : {}) };
  }
  // No more than one a minute is fresh, so those that are fired are among the newest.
  const { newest, older } = newestOf(MOST_RECORDED + 2);
  const isMissed = (moment: number): boolean => moment < now - GRACE_MS;
  const late = newest.filter(isMissed);
  const fresh = newest.filter((moment) => !isMissed(moment));
  const last = catch_up === "last" && fresh.length === 0 ? late.slice(-1) : [];
  const missed = late.slice(0, late.length - last.length);
  const leftOut = missed.slice(0, -MOST_RECORDED).reduce<OlderMoments | undefined>(withMoment, older);
  return { fire: [...last, ...fresh], missed: missed.slice(-MOST_RECORDED), ...(leftOut ? { leftOut } : {}) };
}

const withMoment = (before: OlderMoments | undefined, moment: number): OlderMoments => ({
  count: (before?.count ?? 0) + 1,
  from: before?.from ?? moment,
  to: moment,
});

export const nextDue = (
  { schedule, timezone }: Pick<Scheduled, "schedule" | "timezone">,
  now: number,
): number | undefined => nextMoment(parseCron(schedule), timezone, now);

/** Moments that are neither fired nor recorded one by one. */
export interface OlderMoments {
  readonly count: number;
  /** The first and the last of them. */
  readonly from: number;
  readonly to: number;
}

export interface NewestMoments {
  readonly newest: readonly number[];
  readonly older?: OlderMoments;
}

export function newestMoments(cron: Cron, timezone: string, after: number, upTo: number, most: number): NewestMoments {
  for (let back = DAY; ; back *= 2) {
    const since = Math.max(after, upTo - back);
    const found = [...momentsBetween(cron, timezone, since, upTo)];
    const to = found.at(-most - 1);
    if (to === undefined && since > after) continue;
    const from = to === undefined ? undefined : nextMoment(cron, timezone, after);
    if (to === undefined || from === undefined) return { newest: found };
    return { newest: found.slice(-most), older: { count: countMoments(cron, timezone, after, to), from, to } };
  }
}

/** Day by day on the wall. A day on which no clock is changed has as many as any other. */
function countMoments(cron: Cron, timezone: string, after: number, upTo: number): number {
  const eachDay = cron.hours.length * cron.minutes.length;
  let count = 0;
  for (let at = after, end = after; at < upTo; at = end) {
    const day = Math.floor(wallTime(timezone, at + 1) / DAY) * DAY;
    // Clocks that are put back at midnight show the end of a day again after the day is over.
    end = Math.max(instantOf(timezone, day + DAY) - 1, at + HOUR);
    const start = instantOf(timezone, day);
    // Clocks that are put forward at midnight are changed before such a day, and it has less than its hours.
    const isWhole = end + 1 - start === DAY && isCalm(timezone, start, end);
    if (at < start && end <= upTo && isWhole) count += isDay(cron, day) ? eachDay : 0;
    else for (const _ of momentsBetween(cron, timezone, at, Math.min(end, upTo))) count++;
  }
  return count;
}
