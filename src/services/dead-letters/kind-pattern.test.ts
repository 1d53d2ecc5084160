import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { offers } from "../project/acting-files.ts";
import { kindPattern } from "./select.ts";

describe("a pattern of kinds", () => {
  it.each([
    ["external.http.timeout", "external.http.timeout", true],
    ["external.http.timeout", "external.http.timeouts", false],
    ["*", "anything", true],
    ["external.*", "external.http.timeout", true],
    ["external.*", "internal.x", false],
    ["*.timeout", "external.http.timeout", true],
    ["external.*.timeout", "external.http.timeout", true],
    ["a*a", "a", false],
    ["a*b*c", "a.c.b", false],
    ["a.b", "axb", false],
  ])("%s and %s", (pattern, kind, fits) => expect(kindPattern(pattern)(kind)).toBe(fits));

  // Whoever tries all ways to place the stars does not come to an end.
  it("is looked for, whatever it is", () => expect(kindPattern(`${"*a".repeat(30)}*b`)("a".repeat(5000))).toBe(false));
});

describe("a pattern of workflow files", () => {
  it.each([
    ["flows/**/*.yaml", "flows/a.yaml", true],
    ["flows/**/*.yaml", "flows/x/y/a.yaml", true],
    ["flows/**/*.yaml", "flows/x/y/a.yml", false],
    ["flows/*.yaml", "flows/x/a.yaml", false],
    ["./flows/?.yaml", "flows/a.yaml", true],
    ["flows/?.yaml", "flows/ab.yaml", false],
    ["**/a.yaml", "a.yaml", true],
    ["**/a.yaml", "x/ba.yaml", false],
    ["flows/**", "flows/x/y.yaml", true],
    ["a.yaml", "axyaml", false],
  ])("%s and %s", (pattern, file, fits) => expect(offers([pattern], "/p")(join("/p", file))).toBe(fits));

  it("is looked for, whatever it is", () =>
    expect(offers([`${"*a".repeat(30)}*b`], "/p")(join("/p", "a".repeat(3000)))).toBe(false));
});
