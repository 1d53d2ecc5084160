import { expect, it } from "vitest";
import { becameOf } from "./operator-words.ts";

it.each([
  [null, "skipped", "`when` is false", "skipped, `when` is false"],
  [null, "failed", "its `when` could not be read", "failed, its `when` could not be read"],
  ["01RUN", "ended", "completed", "completed"],
  ["01RUN", "fired", null, "fired"],
])("of a firing with the run %s and the status %s it says what history says", (run_id, status, reason, said) => {
  expect(becameOf({ run_id, status, reason })).toBe(said);
});
