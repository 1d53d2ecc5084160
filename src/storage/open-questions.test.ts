// Answers that come while a run is driven, and in the moment in which it pauses.
import { expect, it } from "vitest";
import type { WaitsFor } from "../engine/fiber.ts";
import { OpenQuestions } from "./open-questions.ts";

const signal = new AbortController().signal;

/** A run that waits at these questions alone. `leaving`: called when the run tells that it is about to pause. */
function scene(leaving: (answer: (key: string) => void) => void = () => {}, rootWaitsFor: WaitsFor = "person") {
  const answered = new Set<string>();
  const log: string[] = [];
  const questions = new OpenQuestions(
    {
      answered: (keys) => keys.filter((key) => answered.has(key)),
      leave: () => {
        log.push("leaves");
        leaving((key) => answered.add(key));
      },
      stay: () => void log.push("stays"),
    },
    () => rootWaitsFor,
  );
  return { questions, log, answered };
}

it("a run without an answer pauses at all of its questions", async () => {
  const { questions, log } = scene();
  expect(await Promise.all([questions.wait("a", signal), questions.wait("b", signal)])).toEqual(["pause", "pause"]);
  expect(log).toEqual(["leaves"]);
});

it("an answer that is there already is found before the run pauses", async () => {
  const { questions, log, answered } = scene();
  answered.add("a");
  expect(await questions.wait("a", signal)).toBe("answered");
  expect(log).toEqual([]);
});

it("an answer that comes in the moment in which the run pauses is taken, and the run goes on", async () => {
  const { questions, log } = scene((answer) => answer("a"));
  expect(await questions.wait("a", signal)).toBe("answered");
  expect(log).toEqual(["leaves", "stays"]);
});

it("a question whose time is up ends, and is not waited for", async () => {
  const time = new AbortController();
  const { questions, log } = scene(() => time.abort());
  expect(await questions.wait("a", time.signal)).toBe("aborted");
  await new Promise((resolve) => setImmediate(resolve));
  expect(await questions.wait("a", time.signal)).toBe("aborted");
  expect(log).toEqual(["leaves", "stays"]);
});

it("a store that fails when nothing else goes on fails the question", async () => {
  const { questions } = scene(() => {
    throw new Error("the store is gone");
  });
  await expect(questions.wait("a", signal)).rejects.toThrow("the store is gone");
});
