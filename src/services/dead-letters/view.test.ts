import { expect, it } from "vitest";
import { error } from "../../../test/support/engine/test-events.ts";
import { followUp, type LetterBody, letterOf } from "../../engine/guard/resilience/dead-letter.ts";
import { letterView } from "./view.ts";

const bodyAfter = (attempts: number): LetterBody => {
  const failure = { ...error("fetch", "http.unavailable"), attempts };
  const errors = Array.from({ length: attempts }, (_, index) => ({ ...failure, attempts: index + 1 }));
  const workflow = { name: "w", file: "/w.yaml", digest: "d" };
  const failing = { key: "fetch#1", workflow, node: "fetch", type: "http", path: [], error: failure, errors };
  const kept = letterOf(failing);
  return followUp(kept, letterOf(failing)).body;
};

it("a letter counts the attempts of its retries too", () => {
  const letter = {
    id: "L1",
    runId: "01RUN",
    place: "fetch",
    workflow: "w",
    node: "fetch",
    kind: "http.unavailable",
    status: "open" as const,
    firstSeen: "2030-01-01T00:00:00.000Z",
    lastSeen: "2030-01-01T00:00:00.000Z",
    count: 2,
    body: bodyAfter(3),
  };
  expect(letterView(letter, "/").attempts).toBe(6);
});
