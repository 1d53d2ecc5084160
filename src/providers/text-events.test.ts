import { expect, test } from "vitest";
import { TextEvents } from "./answer-stream.ts";

function listening() {
  const sent: string[] = [];
  const clock = { now: 0 };
  return {
    sent,
    clock,
    events: new TextEvents(
      () => clock.now,
      (text) => sent.push(text),
    ),
  };
}

test("gathers what comes quickly into one event", () => {
  const { sent, events } = listening();
  for (const chunk of ["Hel", "lo ", "world"]) events.add(chunk);
  expect(sent).toEqual([]);
  events.flush();
  events.flush();
  expect(sent).toEqual(["Hello world"]);
});

test("shows something every second, and never cuts a word", () => {
  const { sent, clock, events } = listening();
  events.add("The key is sk-very");
  clock.now = 1500;
  events.add("-secret and");
  clock.now = 3000;
  events.add(" more");
  events.flush();
  expect(sent).toEqual(["The key is sk-very-secret ", "and ", "more"]);
  expect(sent.join("")).toBe("The key is sk-very-secret and more");
});
