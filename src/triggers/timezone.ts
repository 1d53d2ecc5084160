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

export function wallTime(timezone: string, instant: number): WallTime {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(timezone).formatToParts(instant)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

const offsetAt = (timezone: string, instant: number): number =>
  wallTime(timezone, instant) - Math.floor(instant / 1000) * 1000;

/** The first instant at which the wall shows that time; in the gap of summer time, the first instant after the gap. */
export function instantOf(timezone: string, wall: WallTime): number {
  // No place changes its clocks by more than a day, nor twice within two days.
  const before = offsetAt(timezone, wall - DAY);
  const after = offsetAt(timezone, wall + DAY);
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
