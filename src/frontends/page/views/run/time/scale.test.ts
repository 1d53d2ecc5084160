import { describe, expect, it } from "vitest";
import { type TimeRow, timeScale } from "./spans.ts";

const BEGIN = Date.parse("2026-11-15T10:00:00.000Z");

/** One step that ran for so long. */
const rows = (ms: number): readonly TimeRow[] => [
  {
    id: "a ",
    step: { path: [], node: "a" },
    item: null,
    items: [],
    depth: 0,
    spans: [
      {
        from: BEGIN,
        to: BEGIN + ms,
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
  it.each([12, 55, 400, 3000, 13_000, 7_200_000])("of %d ms say a time each, and none twice", (ms) => {
    const texts = timeScale(rows(ms))
      .ticks(6)
      .map(({ text }) => text);
    expect(texts).toHaveLength(6);
    expect(new Set(texts).size).toBe(6);
  });

  it("are as many as there is room for, and none without room", () => {
    expect(timeScale(rows(13_000)).ticks(2)).toHaveLength(2);
    expect(timeScale(rows(13_000)).ticks(0)).toEqual([]);
  });
});
