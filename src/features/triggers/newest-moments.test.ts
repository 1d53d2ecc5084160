// Schedules against clocks that are looked at minute by minute, in every zone there is, on the days when clocks are changed.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../test/support/property-runs.ts";
import { isDay, momentsBetween, parseCron } from "./cron.ts";
import { newestMoments } from "./due.ts";

/** Clocks were once changed a minute after midnight (America/Moncton). */
const STEP = 60_000;
const DAY = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();
/** What the zone's clock shows, asked of the zone each time. */
function shownAt(zone: string, instant: number): number {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium", calendar: "gregory" });
  formats.set(zone, format);
  return Date.parse(`${format.format(instant).replace(" ", "T")}Z`);
}

/** Somebody watches the clock: what it shows for the first time, or has jumped over, is fired then. */
function watched(schedule: string, zone: string, after: number, upTo: number): readonly number[] {
  const cron = parseCron(schedule);
  const isMoment = (wall: number): boolean => {
    const date = new Date(wall);
    return (
      isDay(cron, Math.floor(wall / DAY) * DAY) &&
      cron.hours.includes(date.getUTCHours()) &&
      cron.minutes.includes(date.getUTCMinutes())
    );
  };
  const fired: number[] = [];
  // What it has shown before: it may have been put back within the last day.
  let latest = Math.max(...Array.from({ length: DAY / STEP + 1 }, (_, back) => shownAt(zone, after - back * STEP)));
  for (let at = after + STEP; at <= upTo; at += STEP) {
    const wall = shownAt(zone, at);
    let isFired = false;
    for (let one = latest + STEP; one <= wall; one += STEP) isFired ||= isMoment(one);
    if (isFired) fired.push(at);
    latest = Math.max(latest, wall);
  }
  return fired;
}

/** A day near which clocks are changed, if they are in that year. */
function changingDay(zone: string, from: number): number {
  for (let at = from; at < from + 366 * DAY; at += DAY)
    if (shownAt(zone, at + DAY) - shownAt(zone, at) !== DAY) return at;
  return from;
}

const schedule = fc.constantFrom("*/5 * * * *", "*/30 * * * *", "15 2 * * *", "0 0 * * *", "10,55 0-3,23 * * 0,6");
const zone = fc.constantFrom(...Intl.supportedValuesOf("timeZone"));
const day = fc.integer({ min: Date.UTC(1980, 0, 1) / DAY, max: Date.UTC(2037, 0, 1) / DAY });

describe("moments of a schedule", () => {
  it("are those that somebody would fire who watches the clock", () => {
    fc.assert(
      fc.property(schedule, zone, day, fc.nat(DAY / STEP), (text, where, from, offset) => {
        const after = changingDay(where, from * DAY) - DAY / 2 + offset * STEP;
        const upTo = after + 1.5 * DAY;
        expect([...momentsBetween(parseCron(text), where, after, upTo)]).toEqual(watched(text, where, after, upTo));
      }),
      { numRuns: runs(40) },
    );
  });

  it("are counted as if each had been gone through", () => {
    fc.assert(
      fc.property(schedule, zone, day, fc.nat(DAY), fc.nat(90), fc.nat(30), (text, where, from, offset, days, most) => {
        const after = changingDay(where, from * DAY) - 3 * DAY + offset;
        const upTo = after + days * DAY + ((offset * 7) % DAY);
        const all = [...momentsBetween(parseCron(text), where, after, upTo)];
        const { newest, older } = newestMoments(parseCron(text), where, after, upTo, most + 1);
        const before = all.slice(0, -(most + 1));
        expect(newest).toEqual(all.slice(-(most + 1)));
        expect(older).toEqual(
          before.length === 0 ? undefined : { count: before.length, from: before[0], to: before.at(-1) },
        );
      }),
      { numRuns: runs(60) },
    );
  });

  it("are those of 23 hours where clocks are put forward at midnight", () => {
    const [after, upTo] = [Date.UTC(2008, 4, 30), Date.UTC(2008, 5, 3)];
    const { newest, older } = newestMoments(parseCron("0 * * * *"), "Africa/Casablanca", after, upTo, 1);
    expect(newest).toHaveLength(1);
    // Each hour of UTC is one there, too.
    expect(older?.count).toBe((upTo - after) / (60 * 60_000) - 1);
  });

  it("of ten years of minutes are counted, not gone through", () => {
    const after = Date.UTC(2026, 10, 16);
    const upTo = Date.UTC(2036, 10, 16);
    const { older } = newestMoments(parseCron("* * * * *"), "Europe/Berlin", after, upTo, 500);
    // Each spring jumps over an hour, and each autumn's doubled hour fires once.
    expect(older?.count).toBe((upTo - after) / 60_000 - 10 * 60 - 500);
  });
});
