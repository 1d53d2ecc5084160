import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { processorMs } from "../../test/support/processor-time.ts";
import { kindPattern } from "./kind-pattern.ts";
import { offers } from "./project/offered.ts";

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

  it("is looked for in no time, whatever it is", () => {
    const look = () => expect(kindPattern(`${"*a".repeat(30)}*b`)("a".repeat(5000))).toBe(false);
    expect(processorMs(look)).toBeLessThan(1000);
  });
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

  it("is looked for in no time, whatever it is", () => {
    const look = () => expect(offers([`${"*a".repeat(30)}*b`], "/p")(join("/p", "a".repeat(3000)))).toBe(false);
    expect(processorMs(look)).toBeLessThan(2000);
  });
});
