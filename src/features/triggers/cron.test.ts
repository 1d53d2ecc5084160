// When a schedule fires: every field, every time zone, and the two nights a year on which clocks are changed.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cronProblem, instantOf, momentsBetween, nextMoment, parseCron, wallTime } from "./cron.ts";

const next = (schedule: string, after: string, timezone = "UTC"): string | undefined => {
  const moment = nextMoment(parseCron(schedule), timezone, Date.parse(after));
  return moment === undefined ? undefined : new Date(moment).toISOString().replace(":00.000Z", "Z");
};
const all = (schedule: string, timezone: string, from: string, to: string): readonly string[] =>
  [...momentsBetween(parseCron(schedule), timezone, Date.parse(from), Date.parse(to))].map((at) =>
    new Date(at).toISOString().slice(0, 16),
  );

describe("a schedule", () => {
  it.each([
    ["0 3 * * 1-5", "2026-11-13T03:00:00Z", "2026-11-16T03:00Z"],
    ["*/15 * * * *", "2026-11-15T10:14:59Z", "2026-11-15T10:15Z"],
    ["5/20 * * * *", "2026-11-15T10:26:00Z", "2026-11-15T10:45Z"],
    ["0 0 1,15 * *", "2026-11-15T00:00:00Z", "2026-12-01T00:00Z"],
    ["30 6 * jan-mar mon,WED", "2026-11-15T00:00:00Z", "2027-01-04T06:30Z"],
    ["0 0 * * 7", "2026-11-15T00:00:00Z", "2026-11-22T00:00Z"],
    ["0 0 13 * 5", "2026-11-01T00:00:00Z", "2026-11-06T00:00Z"],
    ["0 12 29 2 *", "2026-11-15T00:00:00Z", "2028-02-29T12:00Z"],
    ["@hourly", "2026-11-15T10:00:00Z", "2026-11-15T11:00Z"],
    ["@weekly", "2026-11-15T00:00:01Z", "2026-11-22T00:00Z"],
    ["@yearly", "2026-11-15T00:00:00Z", "2027-01-01T00:00Z"],
  ])("%s after %s fires at %s", (schedule, after, expected) => {
    expect(next(schedule, after)).toBe(expected);
  });

  it.each([
    ["0 3 * *", /five fields.*has 4/],
    ["60 * * * *", /"60" is no minute/],
    ["* * 0 * *", /"0" is no day of the month/],
    ["* * * * mo", /"mo" is no day of the week/],
    ["5-1 * * * *", /"5-1" is no minute/],
    ["*/0 * * * *", /no minute/],
    ["1-2-3 * * * *", /no minute/],
    ["@reboot", /there is no schedule "@reboot"/],
    ["0 0 31 2 *", /no month has/],
  ])("%s is refused in a sentence", (schedule, sentence) => {
    expect(cronProblem(schedule)).toMatch(sentence);
  });

  it("is understood however it is written, and refused rather than thrown", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), (text) => {
        expect(typeof cronProblem(text)).toMatch(/string|undefined/);
      }),
    );
  });
});

describe("when clocks are put forward", () => {
  // Berlin, 29 March 2026: 02:00 to 03:00 does not exist; it is 01:00 UTC.
  it("a moment in the gap fires once, right after it", () => {
    expect(all("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z", "2026-03-30T12:00Z")).toEqual([
      "2026-03-29T01:00",
      "2026-03-30T00:30",
    ]);
  });

  it("several moments in the gap, and one right after it, are one", () => {
    expect(all("*/20 1-3 * * *", "Europe/Berlin", "2026-03-29T00:30Z", "2026-03-29T01:50Z")).toEqual([
      "2026-03-29T00:40",
      "2026-03-29T01:00",
      "2026-03-29T01:20",
      "2026-03-29T01:40",
    ]);
  });

  it("also where they are put forward by half an hour", () => {
    expect(all("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00Z", "2026-10-04T12:00Z")).toEqual([
      "2026-10-03T15:30",
    ]);
  });
});

describe("when clocks are put back", () => {
  // Berlin, 25 October 2026: 02:00 to 03:00 is there twice, from 00:00 and from 01:00 UTC.
  it("a doubled moment fires once", () => {
    expect(all("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", "2026-10-26T12:00Z")).toEqual([
      "2026-10-25T00:30",
      "2026-10-26T01:30",
    ]);
  });

  it("a server that starts in the second hour does not fire again what the first one fired", () => {
    expect(next("30 2 * * *", "2026-10-25T01:10:00Z", "Europe/Berlin")).toBe("2026-10-26T01:30Z");
  });
});

describe("a wall clock", () => {
  const zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia"];
  const instant = fc.integer({ min: Date.UTC(2024, 0, 1) / 60_000, max: Date.UTC(2030, 0, 1) / 60_000 });

  it("shows the time that its instant was made from, but in a gap", () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), instant, (zone, minute) => {
        const shown = wallTime(zone, minute * 60_000);
        // It is there, so it is in no gap; a doubled one is the first of the two.
        expect(wallTime(zone, instantOf(zone, shown))).toBe(shown);
        expect(instantOf(zone, shown)).toBeLessThanOrEqual(minute * 60_000);
      }),
    );
  });

  it("never fires twice for one moment, and never goes back", () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), instant, (zone, minute) => {
        const cron = parseCron("*/30 * * * *");
        const first = nextMoment(cron, zone, minute * 60_000) ?? 0;
        const second = nextMoment(cron, zone, first) ?? 0;
        expect(first).toBeGreaterThan(minute * 60_000);
        expect(second).toBeGreaterThan(first);
        // At most a doubled hour and the step lie between two moments.
        expect(second - first).toBeLessThanOrEqual(2 * 3_600_000);
      }),
    );
  });
});
