import { expect, it } from "vitest";
import { didYouMean, nearest } from "./nearest.ts";

it.each([
  ["comand", ["command", "args", "stdin"], ["command"]],
  ["planr", ["a", "planner"], ["planner"]],
  ["fail-fast", ["fail_fast", "all_or_nothing"], ["fail_fast"]],
  ["othr", ["other", "probe"], ["other"]],
  ["a", ["b", "c"], []],
  ["zzzz", ["script", "agent"], []],
  ["verson", ["vision", "version", "x"], ["version"]],
  ["rnu", ["run", "runs"], ["run"]],
  ["rnx", ["run"], []],
  ["", ["a"], []],
  ["resutl", ["result", "status", "data"], ["result"]],
  ["colour", ["color", "count"], ["color"]],
  ["zzz", ["a", "b"], []],
  ["Title", ["title"], ["title"]],
])("takes %s for %s → %s", (word, candidates, expected) => {
  expect(nearest(word, candidates)).toEqual(expected);
});

it("gives at most as many as asked for, each once", () => {
  expect(nearest("step1", ["step2", "step3", "step4", "step2", "step5"], 2)).toEqual(["step2", "step3"]);
});

it("asks in a sentence", () => {
  expect(didYouMean([])).toBe("");
  expect(didYouMean(["a", "b", "c"])).toBe(" Did you mean `a`, `b` or `c`?");
  expect(didYouMean(["a", "b"], '"')).toBe(' Did you mean "a" or "b"?');
});
