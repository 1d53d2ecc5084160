import { expect, it } from "vitest";
import { endOfString, NumberTooLarge, parseJson } from "./bounded.ts";

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

const HASHES = JSON.stringify(Array(40).fill("5e9991e999"));

it.each(["1e999", "-1.5E+0400", '{"a": ["x", 1e309]}', "9".repeat(400), `${"9".repeat(250)}e99`, `[${HASHES}, 1e999]`])(
  "refuses a number that would be infinite: %s",
  (text) => {
    expect(() => parseJson(text)).toThrow(NumberTooLarge);
    expect(parseJson(text, false)).toEqual(JSON.parse(text));
  },
);

it.each(["1e308", "1e-999", "0e999", `1${"0".repeat(308)}`, '"1e999"', '{"1e999": "a\\"1e999"}', HASHES])(
  "takes %s",
  (text) => expect(parseJson(text)).toEqual(JSON.parse(text)),
);
