import { expect, it } from "vitest";
import { endOfString, parseJson } from "./bounded.ts";

it.each([
  ['"a", "b"', 3],
  ['"", "b"', 2],
  [String.raw`"a\"b", "c"`, 6],
  [String.raw`"a\\", "b"`, 5],
  ['"open', 5],
])("the string at the beginning of %s ends at %i", (text, end) => {
  expect(endOfString(text, 0)).toBe(end);
});

it("counts levels, and no brackets inside strings", () => {
  const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
  expect(() => parseJson(nested(501))).toThrow("nested more than 500 levels deep");
  expect(parseJson(nested(500))).toHaveLength(1);
  const told = { a: "[".repeat(2000), b: `"${"{".repeat(2000)}`, c: "\\" };
  expect(parseJson(JSON.stringify(told))).toEqual(told);
});
