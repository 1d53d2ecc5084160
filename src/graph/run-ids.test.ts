import { expect, it } from "vitest";
import { isOnCourse } from "./run-ids.ts";

it.each([
  ["running", false],
  ["waiting", false],
  ["completed", true],
] as const)("a route to the end is on the course of a run only once its step is done: %s", (state, isOn) => {
  expect(isOnCourse({ path: [], from: "a", to: "$end" }, { a: { state } as never })).toBe(isOn);
});

it("a route to a step is on the course of a run that has come there", () => {
  const nodes = { a: { state: "completed" }, b: { state: "running" } } as never;
  expect(isOnCourse({ path: [], from: "a", to: "b" }, nodes)).toBe(true);
  expect(isOnCourse({ path: [], from: "a", to: "c" }, nodes)).toBe(false);
  expect(isOnCourse({ path: [], from: "c", to: "b" }, nodes)).toBe(false);
});
