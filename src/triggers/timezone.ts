// Wall clocks: from an instant to what a clock on the wall shows there, and back, where summer time makes moments that are
// not there and moments that are there twice.

/** What a clock on the wall shows, as if it were UTC: epoch milliseconds of that date and time. */
export type WallTime = number;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timezone: string): Intl.DateTimeFormat {
  let format = formats.get(timezone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: timezone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formats.set(timezone, format);
  }
  return format;
}

export function isTimezone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

export const wallTime = (timezone: string, instant: number): WallTime =>
  wholeSeconds(instant) + offsetAt(timezone, instant);

const wholeSeconds = (instant: number): number => Math.floor(instant / 1000) * 1000;

/** Asks the zone itself, which takes a tenth of a millisecond. */
function askedOffset(timezone: string, instant: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(timezone).formatToParts(instant)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - wholeSeconds(instant);
}

/** A day of UTC in a zone: how far its clocks are ahead, and from when on they are ahead by something else. */
interface DayOfZone {
  readonly offset: number;
  readonly change?: { readonly at: number; readonly offset: number };
}

const days = new Map<string, Map<number, DayOfZone>>();
/** Of a zone: some eleven years, which is further than any schedule is looked ahead. */
const MOST_DAYS = 4096;

function offsetAt(timezone: string, instant: number): number {
  const { offset, change } = dayOfZone(timezone, Math.floor(instant / DAY));
  return change && instant >= change.at ? change.offset : offset;
}

/** Whether no clock is changed from one instant to another. */
export function isCalm(timezone: string, from: number, to: number): boolean {
  for (let day = Math.floor(from / DAY); day <= Math.floor(to / DAY); day++)
    if (dayOfZone(timezone, day).change) return false;
  return true;
}

function dayOfZone(timezone: string, day: number): DayOfZone {
  const known = days.get(timezone) ?? new Map<number, DayOfZone>();
  days.set(timezone, known);
  const before = known.get(day);
  if (before) return before;
  if (known.size >= MOST_DAYS) known.clear();
  const yesterday = known.get(day - 1);
  const offset = (yesterday?.change ?? yesterday)?.offset ?? askedOffset(timezone, day * DAY);
  const next = known.get(day + 1)?.offset ?? askedOffset(timezone, (day + 1) * DAY);
  const found: DayOfZone =
    offset === next ? { offset } : { offset, change: { at: changeOf(timezone, day * DAY, next), offset: next } };
  known.set(day, found);
  return found;
}

/** Clocks are changed once on the day, to the second: when they show the new time for the first time. */
function changeOf(timezone: string, start: number, offset: number): number {
  let [from, to] = [0, DAY / 1000];
  while (from + 1 < to) {
    const middle = Math.floor((from + to) / 2);
    if (askedOffset(timezone, start + middle * 1000) === offset) to = middle;
    else from = middle;
  }
  return start + to * 1000;
}

/** The first instant at which the wall shows that time; in the gap of summer time, the first instant after the gap. */
export function instantOf(timezone: string, wall: WallTime): number {
  // No place changes its clocks by more than a day, nor twice within two days.
  const before = offsetAt(timezone, wall - DAY);
  const after = offsetAt(timezone, wall + DAY);
  if (before === after) return wall - before;
  const shown = [wall - before, wall - after].filter((instant) => wallTime(timezone, instant) === wall);
  return shown.length > 0 ? Math.min(...shown) : endOfGap(timezone, wall - after, wall - before, after);
}

/** Clocks are put forward somewhere in between: where they show the new time for the first time. */
function endOfGap(timezone: string, low: number, high: number, offset: number): number {
  let [from, to] = [Math.floor(low / MINUTE), Math.ceil(high / MINUTE)];
  while (from + 1 < to) {
    const middle = Math.floor((from + to) / 2);
    if (offsetAt(timezone, middle * MINUTE) === offset) to = middle;
    else from = middle;
  }
  return to * MINUTE;
}
