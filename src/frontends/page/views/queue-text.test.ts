import { expect, it } from "vitest";
import { queueText } from "./operator-words.ts";

it.each([
  [{ waiting: 0, delayed: 0, oldest_ms: null }, "No run waits for a worker."],
  [{ waiting: 1, delayed: 0, oldest_ms: 90_400 }, "1 run waits for a worker, the oldest for 1 min 30 s."],
  [{ waiting: 3, delayed: 2, oldest_ms: null }, "3 runs wait for a worker; 2 runs wait for their time."],
])("%j is %s", (queue, said) => {
  expect(queueText(queue)).toBe(said);
});
