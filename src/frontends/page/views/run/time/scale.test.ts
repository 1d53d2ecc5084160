import { describe, expect, it } from "vitest";
import { type TimeRow, timeScale } from "./spans.ts";

const BEGIN = Date.parse("2026-11-15T10:00:00.000Z");

/** One step that ran for so long, and began so much later. */
const rows = (ms: number, late = 0): readonly TimeRow[] => [
  {
    id: "a ",
    step: { path: [], node: "a" },
    item: null,
    items: [],
    depth: 0,
    spans: [
      {
        from: BEGIN + late,
        to: BEGIN + late + ms,
        state: "completed",
        isWait: false,
        isContainer: false,
        visit: 1,
        attempt: 1,
        drive: 1,
        about: "",
      },
    ],
  },
];

describe("the ticks of a timeline", () => {
  it.each([
    [12, 2],
    [55, 10],
    [400, 100],
    [3000, 500],
    [13_000, 5000],
    [100_000, 20_000],
    [150_000, 60_000],
    [7_200_000, 20 * 60_000],
    [90_000_000, 5 * 3_600_000],
  ])("of %d ms are %d ms from each other, at round times", (ms, step) => {
    const ticks = timeScale(rows(ms)).ticks(6);
    const times = ticks.map(({ at }) => Math.round(at * ms));
    expect(times).toEqual(times.map((_, index) => (times[0] ?? 0) + index * step));
    expect(times.length).toBeGreaterThanOrEqual(2);
    expect(times.length).toBeLessThanOrEqual(7);
    expect(new Set(ticks.map(({ text }) => text)).size).toBe(ticks.length);
  });

  it("begin at the first round time", () => {
    const [first] = timeScale(rows(13_000, 1300)).ticks(6);
    expect(first?.text).toMatch(/:05$/);
  });

  it("are as many as there is room for, and none without room", () => {
    expect(timeScale(rows(13_000)).ticks(2)).toHaveLength(2);
    expect(timeScale(rows(13_000)).ticks(0)).toEqual([]);
  });
});
