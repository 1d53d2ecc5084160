// Whoever changes their mind at a gate sends what the option they chose asks for, and nothing else.
import { expect, test } from "vitest";
import type { GateJson } from "../../../server/contract/gates.ts";
import { answerOf } from "./gate-words.ts";

const GATE = {
  kind: "gate",
  seq: 7,
  options: [
    { label: "Release it", value: "yes" },
    { label: "Not now", value: "no", prompt_for: "why" },
  ],
} as unknown as GateJson;

test("the text of an option that was left again is not sent", () => {
  expect(answerOf(GATE, "yes", { why: "not on a Friday" })).toEqual({ seq: 7, value: "yes", inputs: {} });
  expect(answerOf(GATE, "no", { why: "not on a Friday" })).toEqual({
    seq: 7,
    value: "no",
    inputs: { why: "not on a Friday" },
  });
});

test("calling it off needs no words, and answers to questions are sent as they are", () => {
  expect(answerOf(GATE, "__abort__", { why: "x" }).inputs).toEqual({});
  expect(answerOf({ ...GATE, kind: "questions" } as GateJson, "a", { one: "a", two: "b" }).inputs).toEqual({
    one: "a",
    two: "b",
  });
});
