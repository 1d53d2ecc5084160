// Schedules as cron writes them, and wall clocks: from an instant to what a clock on the wall shows there, and back, where
// summer time makes moments that are not there and moments that are there twice. Pure: the caller passes the time.
export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /** Days and weekdays are both named: then either will do, as cron has it. */
  readonly isEitherDay: boolean;
}

const WORDS: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const FIELDS: readonly Field[] = [
  { name: "minute", least: 0, most: 59 },
  { name: "hour", least: 0, most: 23 },
  { name: "day of the month", least: 1, most: 31 },
  { name: "month", least: 1, most: 12, names: MONTHS },
  // 7 is Sunday, too.
  { name: "day of the week", least: 0, most: 7, names: WEEKDAYS },
];

class BadCron extends Error {}

/** What is wrong with a schedule, in a sentence; nothing when it is one. */
export function cronProblem(text: string): string | undefined {
  try {
    const cron = parseCron(text);
    return nextMoment(cron, "UTC", 0) === undefined
      ? `${JSON.stringify(text)} names a day that no month has, so it would never fire.`
      : undefined;
  } catch (problem) {
    if (problem instanceof BadCron) return problem.message;
    throw problem;
  }
}

/** Throws for what is no schedule; `cronProblem` says why. */
export function parseCron(text: string): Cron {
  const written = text.trim();
  const plain = written.startsWith("@") ? WORDS[written.toLowerCase()] : written;
  if (plain === undefined)
    throw new BadCron(
      `there is no schedule ${JSON.stringify(written)}; the words are ${Object.keys(WORDS).join(", ")}.`,
    );
  const parts = plain.split(/\s+/);
  if (parts.length !== FIELDS.length)
    throw new BadCron(
      `a schedule has five fields (minute, hour, day, month, weekday), such as "0 3 * * 1-5", and ${JSON.stringify(text)} has ${parts.length}.`,
    );
  const [minutes, hours, days, months, weekdays] = FIELDS.map((field, index) => valuesOf(parts[index] ?? "", field));
  return {
    minutes: sorted(minutes),
    hours: sorted(hours),
    days: new Set(days),
    months: new Set(months),
    weekdays: new Set((weekdays ?? []).map((day) => day % 7)),
    isEitherDay: !parts[2]?.startsWith("*") && !parts[4]?.startsWith("*"),
  };
}

const sorted = (values: readonly number[] = []): readonly number[] => [...new Set(values)].sort((a, b) => a - b);

function valuesOf(text: string, field: Field): readonly number[] {
  return text.split(",").flatMap((part) => {
    const [, range = "", every] = /^([^/]+)(?:\/(\d+))?$/.exec(part) ?? [];
    const step = every === undefined ? 1 : Number(every);
    if (range === "" || step < 1) throw badField(part, field);
    const [first, last] = bounds(range, field, every !== undefined);
    if (first > last) throw badField(part, field);
    return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
  });
}

function bounds(range: string, field: Field, hasStep: boolean): readonly [number, number] {
  if (range === "*") return [field.least, field.name === "day of the week" ? 6 : field.most];
  const [from = "", to, ...more] = range.split("-");
  if (more.length > 0) throw badField(range, field);
  const first = numberOf(from, field);
  // `5/10` is from 5 on, every ten.
  return [first, to === undefined ? (hasStep ? field.most : first) : numberOf(to, field)];
}

function numberOf(text: string, field: Field): number {
  const named = field.names?.indexOf(text.toLowerCase()) ?? -1;
  const value = named >= 0 ? named + (field.least === 1 ? 1 : 0) : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= field.least && value <= field.most)) throw badField(text, field);
  return value;
}

const badField = (text: string, { name, least, most }: Field): BadCron =>
  new BadCron(
    `${JSON.stringify(text)} is no ${name}: it takes numbers from ${least} to ${most}, lists (1,15), ranges (1-5), steps (*/10) and *.`,
  );

/** A 29th of February may be eight years away. */
const FURTHEST_DAYS = 366 * 9;

/**
 * The first moment after an instant. A wall time in the gap of summer time is the first instant after the gap, and one
 * that is there twice is the first of the two; several that fall together are one moment.
 */
export function nextMoment(cron: Cron, timezone: string, after: number): number | undefined {
  const wall = wallTime(timezone, after);
  const today = Math.floor(wall / DAY) * DAY;
  for (let day = today; day <= today + FURTHEST_DAYS * DAY; day += DAY) {
    if (!isDay(cron, day)) continue;
    for (const hour of cron.hours) {
      if (day + (hour + 1) * HOUR < wall - MINUTE) continue;
      for (const minute of cron.minutes) {
        const shown: WallTime = day + hour * HOUR + minute * MINUTE;
        // What the wall has shown is over: no gap and no doubled hour brings it back.
        if (shown < wall - MINUTE) continue;
        const instant = instantOf(timezone, shown);
        if (instant > after) return instant;
      }
    }
  }
  return undefined;
}

/** Whether it has moments on a day of the wall. */
export function isDay({ days, months, weekdays, isEitherDay }: Cron, day: WallTime): boolean {
  const date = new Date(day);
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const byDate = days.has(date.getUTCDate());
  const byWeekday = weekdays.has(date.getUTCDay());
  return isEitherDay ? byDate || byWeekday : byDate && byWeekday;
}

/** All moments after one instant up to another, in order. */
export function* momentsBetween(cron: Cron, timezone: string, after: number, upTo: number): Generator<number> {
  for (let at = nextMoment(cron, timezone, after); at !== undefined && at <= upTo; at = nextMoment(cron, timezone, at))
    yield at;
}

/** What a clock on the wall shows, as if it were UTC: epoch milliseconds of that date and time. */
type WallTime = number;

const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

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
