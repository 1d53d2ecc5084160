import picocolors from "picocolors";
import { expect, it } from "vitest";
import { error } from "../../../../test/support/engine/test-events.ts";
import { followUp, letterOf } from "../../../engine/guard/resilience/dead-letter.ts";
import { wholeLetter } from "../../../services/dead-letters/view.ts";
import { letterLines } from "./people.ts";

const givenUp = (kind: string, attempts: readonly number[]) => {
  const errors = attempts.map((number) => ({ ...error("push", kind), message: "no answer", attempts: number }));
  const workflow = { name: "w", file: "/w.yaml", digest: "d" };
  const failing = { key: "push#1", workflow, node: "push", type: "script", path: [] };
  return letterOf({ ...failing, error: errors.at(-1)!, errors });
};

it.each([
  ["counted on", [3, 4]],
  ["counted anew", [1, 2]],
])("a letter that a retry gave up again shows every attempt once, %s", (_, again) => {
  const kept = followUp(givenUp("api.down", [1, 2]), givenUp("api.slow", again));
  const seen = "2030-01-01T00:00:00.000Z";
  const letter = {
    id: "L1",
    runId: "01RUN",
    status: "open" as const,
    firstSeen: seen,
    lastSeen: seen,
    count: 2,
    ...kept,
  };
  const shown = { ...wholeLetter(letter, "/"), workflow_file: "unchanged" as const };
  const lines = letterLines(shown, picocolors.createColors(false), 200, Date.parse(seen));
  expect(lines.slice(0, 2)).toEqual(["✗ api.slow", "  no answer"]);
  expect(lines.filter((line) => line.includes("attempt "))).toEqual([
    "  before    attempt 1: api.down: no answer",
    "            attempt 2: api.down: no answer",
    `            attempt ${again[0]}: api.slow: no answer`,
  ]);
});
