import { describe, expect, it } from "vitest";
import { fitsStars, patternsMeet } from "./path-pattern.ts";

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

describe("a text may fit a pattern with stars", () => {
  it.each([
    ["gpt-5", "gpt-5", true],
    ["gpt-5", "gpt-5x", false],
    ["gpt*", "gpt-5", true],
    ["*", "", true],
    ["a*a", "a", false],
    ["*ab*b", "ab", false],
    ["*ab*b", "abxab", true],
    ["a.c", "abc", false],
    ["x*yz", "xyzyz", true],
  ])("%s and %s: %s", (pattern, text, fits) => {
    expect(fitsStars(pattern, text)).toBe(fits);
  });

  it("is found, whatever the pattern", () => {
    expect(fitsStars(`${"*a".repeat(1000)}b`, "a".repeat(100_000))).toBe(false);
  });
});
