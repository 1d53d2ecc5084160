// How times, lengths and amounts are written.

/** `3.2 s`, `4 min 12 s`, `2 h 5 min`. */
export function durationText(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || Number.isNaN(ms)) return "";
  if (ms < 0) return "0 s";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return joined(minutes, "min", Math.floor(seconds % 60), "s");
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? joined(hours, "h", minutes % 60, "min") : joined(Math.floor(hours / 24), "d", hours % 24, "h");
}

const joined = (a: number, unit: string, b: number, small: string): string =>
  b === 0 ? `${a} ${unit}` : `${a} ${unit} ${b} ${small}`;

/** The largest unit alone, where there is little room: `4 min`. */
export const roughText = (ms: number): string => /^\S+ \S+/.exec(durationText(ms))?.[0] ?? "";

const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
const SHORT = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

/** `14:02:07`, or with so many digits after the second. */
export function clock(at: string | number, digits: 0 | 1 | 2 | 3 = 0): string {
  const date = new Date(at);
  const text = CLOCK.format(date);
  return digits === 0 ? text : `${text}.${String(date.getMilliseconds()).padStart(3, "0").slice(0, digits)}`;
}

/** `14:02` today, `12 Nov 14:02` before. */
export function moment(at: string | null | undefined, now: number): string {
  if (!at) return "";
  const date = new Date(at);
  const isToday = date.toDateString() === new Date(now).toDateString();
  return isToday ? SHORT.format(date) : `${DAY.format(date)} ${SHORT.format(date)}`;
}

const WEEKDAY = new Intl.DateTimeFormat("en", { weekday: "long" });
const DAY_MS = 86_400_000;

/** The day by the reader's calendar, counted from some day long ago. */
const dayNumber = (at: Date): number => Math.round(Date.UTC(at.getFullYear(), at.getMonth(), at.getDate()) / DAY_MS);

/** By the reader's clock and calendar: `today 18:30`, `tomorrow 09:00`, `Friday 09:00`, `12 Dec 09:00`. */
export function dayAndTime(at: string | number, now: number): string {
  const date = new Date(at);
  const days = dayNumber(date) - dayNumber(new Date(now));
  const near: Readonly<Record<number, string>> = { [-1]: "yesterday", 0: "today", 1: "tomorrow" };
  const day = near[days] ?? (days > 1 && days < 7 ? WEEKDAY.format(date) : DAY.format(date));
  return `${day} ${SHORT.format(date)}`;
}

/** How long until then, in the two largest units: `in 2 h`, `in 1 h 20 min`, `in 40 s`. */
export function inText(at: string | number, now: number): string {
  const left = new Date(at).getTime() - now;
  if (left <= 0) return "now";
  const seconds = Math.ceil(left / 1000);
  // Seconds count at the end; before, they would only flicker.
  return `in ${durationText((seconds < 600 ? seconds : Math.ceil(seconds / 60) * 60) * 1000)}`;
}

/** `just now`, `5 min ago`. */
export function agoText(at: string | number | null | undefined, now: number): string {
  if (at === null || at === undefined) return "";
  const ms = now - new Date(at).getTime();
  if (ms < 5000) return "just now";
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.floor(ms / 1000)} s ago`;
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ago` : `${Math.floor(hours / 24)} d ago`;
}

export { shortRunId as shortId } from "../../base/events/typeable.ts";

export function costText(usd: number | null | undefined): string {
  if (usd === null || usd === undefined || usd === 0) return "";
  return usd < 0.01 ? "< $0.01" : `$${usd.toFixed(2)}`;
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** How long until then, in whole seconds, the one that has begun included: a countdown. */
export const leftText = (until: string | number, now: number): string =>
  durationText(Math.max(0, Math.ceil((new Date(until).getTime() - now) / 1000) * 1000));

/** `now`, `in 3 s`: what is written stands for half a second, so it is rounded to be never wrong by more than one. */
export function waitText(until: string | number, now: number): string {
  const seconds = Math.max(0, Math.floor((new Date(until).getTime() - now) / 1000 + 0.25));
  return seconds === 0 ? "now" : `in ${durationText(seconds * 1000)}`;
}

export const percentText = (share: number): string => `${Math.round(share * 1000) / 10} %`;

export const countText = (value: number): string => value.toLocaleString("en-US").replaceAll(",", " ");

export const bytesText = (size: number): string =>
  size < 1024
    ? `${size} B`
    : size < 1024 ** 2
      ? `${(size / 1024).toFixed(1)} KB`
      : `${(size / 1024 ** 2).toFixed(1)} MB`;

export const plural = (n: number, one: string, many = `${one}s`): string => `${countText(n)} ${n === 1 ? one : many}`;

const LISTED = 12;

/** Names in a sentence: the first of them, and how many more there are. */
export const namesText = (names: readonly string[]): string =>
  names.length <= LISTED
    ? names.join(", ")
    : `${names.slice(0, LISTED - 1).join(", ")} and ${countText(names.length - LISTED + 1)} more`;

const TERMINAL =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** What a program wrote for a terminal, without what only a terminal understands. */
export const withoutTerminalCodes = (text: string): string => text.replace(TERMINAL, "");
