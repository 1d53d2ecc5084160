import { describe, expect, it } from "vitest";
import { HIGHEST, rowWindow, scrollTo } from "./printed-lines.tsx";

const [ROW, VIEWPORT] = [18, 400];

describe.each([10, 1000, 500_000, 50_000_000])("of %d rows", (count) => {
  it("the first are in sight at the top, and the last at the bottom", () => {
    const top = rowWindow(count, ROW, VIEWPORT, 0);
    expect([top.first, top.top]).toEqual([0, 0]);
    expect(top.height).toBeLessThanOrEqual(HIGHEST);
    const bottom = rowWindow(count, ROW, VIEWPORT, Math.max(0, top.height - VIEWPORT));
    expect(bottom.last).toBe(count - 1);
  });

  it("any row can be brought into sight", () => {
    for (const index of [0, 3, Math.floor(count / 2), count - 1]) {
      const { first, last, height } = rowWindow(count, ROW, VIEWPORT, 0);
      const most = Math.max(0, height - VIEWPORT);
      const there = rowWindow(count, ROW, VIEWPORT, Math.min(most, scrollTo(index, count, ROW, VIEWPORT)));
      expect(there.first).toBeLessThanOrEqual(index);
      expect(there.last).toBeGreaterThanOrEqual(index);
      expect(there.last - there.first).toBeLessThanOrEqual(last - first + 1);
    }
  });
});
