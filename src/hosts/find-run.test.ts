import { expect, test } from "vitest";
import { idPrefix, onlyRun } from "./find-run.ts";

test.each([
  [[], undefined],
  [["01AB"], "01AB"],
])("of %j, %s is meant", (found, meant) => {
  expect(onlyRun("01", found, "home")).toBe(meant);
});

test("whoever gives too little of an id is told how many runs fit and how much would do, and no other's id", () => {
  const find = () => onlyRun("01", ["01ABCX", "01ABDX", "01ZZZX"], "home");
  expect(find).toThrow("Several runs begin with 01: 3 of them. Give more of the id; its first 5 characters say which.");
  expect(find).not.toThrow(/01ABCX/);
});

test("a beginning may be in small letters, and a file's name is none", () => {
  expect(idPrefix("01ab")).toBe("01AB");
  expect(idPrefix("release.yaml")).toBeUndefined();
});
