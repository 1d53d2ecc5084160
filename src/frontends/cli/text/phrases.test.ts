import { describe, expect, it } from "vitest";
import { ago, compact, duration, money } from "./phrases.ts";
import { cut, pad, widthOf } from "./width.ts";

describe("times, sums and widths as people read them", () => {
  it.each([
    [0, "0ms"],
    [999, "999ms"],
    [1000, "1.0s"],
    [59_960, "1m 00s"],
    [125_000, "2m 05s"],
    [3_725_000, "1h 02m"],
  ])("%d ms is %s", (ms, text) => expect(duration(ms)).toBe(text));

  it.each([
    ["2030-01-01T00:00:00.000Z", "just now"],
    ["2029-12-31T23:59:20.000Z", "41 s ago"],
    ["2029-12-31T22:30:00.000Z", "1 h ago"],
    ["2029-12-28T00:00:00.000Z", "4 d ago"],
    ["2029-11-01T00:00:00.000Z", "2029-11-01"],
  ])("%s is %s", (moment, text) => expect(ago(moment, Date.parse("2030-01-01T00:00:01.000Z"))).toBe(text));

  it("keeps the digits that matter of small sums", () => {
    expect([0, 0.0123, 0.5, 1.2, 12.345].map(money)).toEqual(["$0.00", "$0.012", "$0.50", "$1.20", "$12.35"]);
    expect([999, 1200, 3_400_000].map(compact)).toEqual(["999", "1.2k", "3.4M"]);
  });

  it("measures columns, not characters", () => {
    expect(["abc", "漢字", "e\u0301", "\u001b[31mred\u001b[39m", "👍"].map(widthOf)).toEqual([3, 4, 1, 3, 2]);
    expect(cut("漢字漢字", 5)).toBe("漢字…");
    expect(cut("\u001b[31mred and long\u001b[39m", 5)).toBe("\u001b[31mred …\u001b[0m");
    expect(pad("漢", 4)).toBe("漢  ");
  });
});
