// The newest moments of a stretch of time, and how many came before them. A server may have been away for years: whole days
// are counted, not gone through, so that this takes milliseconds whatever the schedule.
import { type Cron, isDay, momentsBetween, nextMoment } from "./cron.ts";
import { instantOf, isCalm, wallTime } from "./timezone.ts";

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

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

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
