// What is fired after a pause of the server, and when clocks jump.
import { describe, expect, it } from "vitest";
import { type CatchUp, dueMoments } from "./due.ts";

const at = (text: string): number => Date.parse(`2026-11-15T${text}Z`);
const hourly = (catch_up: CatchUp) => ({ schedule: "0 * * * *", timezone: "UTC", catch_up });
const shown = (moments: readonly number[]): readonly string[] =>
  moments.map((moment) => new Date(moment).toISOString().slice(11, 16));

describe("a schedule that is watched", () => {
  it("fires each moment as it comes", () => {
    expect(shown(dueMoments(hourly("none"), at("02:59:58"), at("03:00:01")).fire)).toEqual(["03:00"]);
    expect(dueMoments(hourly("none"), at("03:00:01"), at("03:59:59"))).toEqual({ fire: [], missed: [] });
  });

  it.each<[CatchUp, readonly string[], readonly string[]]>([
    ["none", [], ["01:00", "02:00", "03:00"]],
    ["last", ["03:00"], ["01:00", "02:00"]],
    ["all", ["01:00", "02:00", "03:00"], []],
  ])("that nobody watched for hours catches up with %s", (catch_up, fire, missed) => {
    const due = dueMoments(hourly(catch_up), at("00:30:00"), at("03:30:00"));
    expect([shown(due.fire), shown(due.missed)]).toEqual([fire, missed]);
  });

  it.each<[CatchUp, number, number]>([
    ["none", 1, 20],
    ["last", 1, 20],
    ["all", 500, 0],
  ])("that nobody watched for two days accounts for every moment (%s)", (catch_up, fired, recorded) => {
    const [since, now] = [Date.parse("2026-11-13T00:00:30Z"), Date.parse("2026-11-15T00:00:30Z")];
    const due = dueMoments({ schedule: "* * * * *", timezone: "UTC", catch_up }, since, now);
    expect([due.fire.length, due.missed.length]).toEqual([fired, recorded]);
    const kept = fired + recorded;
    expect(due.leftOut).toEqual({
      count: 2880 - kept,
      from: Date.parse("2026-11-13T00:01:00Z"),
      to: Date.parse("2026-11-15T00:00:00Z") - kept * 60_000,
    });
  });

  it("fires nothing while a clock that was set back is behind what was fired", () => {
    expect(dueMoments(hourly("all"), at("05:00:00"), at("03:30:00"))).toEqual({ fire: [], missed: [] });
  });

  it("takes a clock that jumps ahead for a pause", () => {
    expect(shown(dueMoments(hourly("last"), at("00:30:00"), at("09:15:00")).fire)).toEqual(["09:00"]);
  });
});
