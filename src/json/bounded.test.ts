import { expect, it } from "vitest";
import { isTooDeep, NestedTooDeeply, parseJson } from "./bounded.ts";

const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

it("data is taken, however wide it is", () => {
  expect(parseJson(deep(400))).toBeInstanceOf(Array);
  expect(parseJson(JSON.stringify(Array.from({ length: 50_000 }, (_, n) => ({ n }))))).toHaveLength(50_000);
});

it.each([600, 6_000, 100_000])("what is nested %i levels deep is refused without overflowing", (levels) => {
  expect(() => parseJson(deep(levels))).toThrow(NestedTooDeeply);
  expect(() => parseJson(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`)).toThrow(NestedTooDeeply);
});

it("brackets in texts are no levels, and those after a text are", () => {
  const text = JSON.stringify(["[".repeat(6_000), '"\\', "]".repeat(6_000), { '"[{': "\\\\" }]);
  expect(parseJson(text)).toHaveLength(4);
  expect(() => parseJson(`[${JSON.stringify("]".repeat(900))},${deep(600)}]`)).toThrow(NestedTooDeeply);
});

it("a value that refers to itself is as deep as anything", () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  expect(isTooDeep(circle)).toBe(true);
});
