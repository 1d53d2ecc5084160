import { expect, it } from "vitest";
import { endingWords } from "./who-handles.ts";

it.each([
  ["MaxIterationsError", "limit reached: max_iterations"],
  ["WorkflowTerminated", "terminated: failed"],
  ["Cancelled", "cancelled"],
  ["PluginError", "plugin"],
  ["GateWaits", "gate waits"],
  ["Error", "error"],
])("%s is said as %s", (errorType, words) => {
  expect(endingWords(errorType)).toBe(words);
});
