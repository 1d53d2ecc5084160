import { expect, test } from "vitest";
import { isOfId, onlyRun, partOfId } from "./run-index.ts";

test.each([
  ["01ABCX", [], undefined],
  ["01ABCX", ["01ABCXYZ"], "01ABCXYZ"],
  // An id that is another's beginning is itself.
  ["01AB", ["01AB", "01ABCD"], "01AB"],
])("%s among %j means %s", (part, fitting, meant) => {
  expect(onlyRun(part, fitting, "home")).toBe(meant);
});

test("a part that several runs have is refused with all of them", () => {
  const find = () => onlyRun("01ABCX", ["01ABCXYZ", "99901ABCX"], "home");
  expect(find).toThrow("Several runs fit 01ABCX: 01ABCXYZ, 99901ABCX. Give more of the id.");
});

test("a part of fewer than six characters names no run, even if only one has it", () => {
  expect(() => onlyRun("01ABC", ["01ABCXYZ"], "home")).toThrow(/^01ABC is too short .* at least 6 characters/);
  expect(onlyRun("01ABC", [], "home")).toBeUndefined();
});

test("a part may be in small letters, of the beginning or the end, and a file's name is none", () => {
  expect(partOfId("01ab")).toBe("01AB");
  expect(partOfId("release.yaml")).toBeUndefined();
  expect(["01ABCXYZ", "99901ABC", "701ABC7"].filter(isOfId("01ABC"))).toEqual(["01ABCXYZ", "99901ABC"]);
});
