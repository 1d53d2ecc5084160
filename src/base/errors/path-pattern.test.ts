import { describe, expect, it } from "vitest";
import { patternsMeet } from "./path-pattern.ts";

describe("a path may fit both of two patterns", () => {
  it.each([
    ["out/a.json", "out/a.json", true],
    ["out/a.json", "out/b.json", false],
    ["out/*.json", "out/a.json", true],
    ["out/*.json", "out/*.csv", false],
    ["out/a*", "out/*b", true],
    ["out/*", "out/x/y", false],
    ["out/**", "out/x/y.json", true],
    ["out/**/*.json", "out/*.json", true],
    ["out/**/*.json", "in/**/*.json", false],
    ["**/*.json", "out/x/*", true],
    ["out/?.json", "out/ab.json", false],
    ["out/?.json", "out/a.*", true],
  ])("%s and %s: %s", (one, other, meet) => {
    expect(patternsMeet(one, other)).toBe(meet);
    expect(patternsMeet(other, one)).toBe(meet);
  });

  it("is found, whatever they are", () => {
    expect(patternsMeet(`${"*a".repeat(40)}b`, `${"*a".repeat(40)}c`)).toBe(false);
  });
});
