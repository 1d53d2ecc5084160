import { expect, it } from "vitest";
import { inputMarks, wantedMarks } from "./input-marks.ts";

const isFound = (inputs: Record<string, unknown>, wanted: Record<string, string>): boolean => {
  const marks = inputMarks(inputs);
  return wantedMarks(wanted).every((any) => any.some((mark) => marks.includes(mark)));
};

it.each([
  [{ customer: "acme" }, { customer: "acme" }, true],
  [{ customer: "acme" }, { customer: "acm" }, false],
  [{ other: "acme" }, { customer: "acme" }, false],
  [{ count: 1.5 }, { count: "1.50" }, true],
  [{ code: "1.50" }, { code: "1.50" }, true],
  [{ code: "1.50" }, { code: "1.5" }, false],
  [{ dry: true }, { dry: "true" }, true],
  [{ a: "x", b: "y" }, { a: "x", b: "y" }, true],
  [{ a: "x", b: "y" }, { a: "y", b: "x" }, false],
  [{ list: ["x"] }, { list: "x" }, false],
])("of a run that was given %o, %o is found: %s", (inputs, wanted, expected) => {
  expect(isFound(inputs, wanted)).toBe(expected);
});

it("digests neither lists nor long texts, which a run is not found by", () => {
  expect(inputMarks({ list: [1], map: {}, text: "x".repeat(100_000), nothing: null })).toBe("");
});
