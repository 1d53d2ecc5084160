import { describe, expect, it } from "vitest";
import type { GateQuestion, QuestionItem, QuestionList } from "../../../engine/people/ask.ts";
import { askQuestions, LEFT, type Left, type Prompts } from "./prompts.ts";
import { askGate } from "./terminal-asker.ts";

/** Answers in order; a choice is given by its value. Remembers what was asked. */
function scripted(...answers: (string | Left)[]): Prompts & { asked: string[] } {
  const asked: string[] = [];
  const next = (message: string) => {
    asked.push(message);
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`nothing scripted for: ${message}`);
    return answer;
  };
  return {
    asked,
    choose: async (message, choices) => {
      const answer = next(`${message} [${choices.map(({ value }) => value).join(" ")}]`);
      return answer === LEFT
        ? LEFT
        : (choices.find(({ value }) => value === answer)?.value ??
            Promise.reject(new Error(`no choice ${String(answer)}`)));
    },
    write: async (message, writing) => {
      const answer = next(message);
      if (typeof answer === "string" && writing?.refuse?.(answer)) return next(message);
      return answer;
    },
    show: () => {},
  };
}

const gate: GateQuestion = {
  kind: "gate",
  node: "approve",
  key: "approve",
  prompt: "Ship?",
  options: [
    { label: "Yes", value: "yes" },
    { label: "No", value: "no", prompt_for: "why", multiline: true },
  ],
};

describe("a gate", () => {
  it("is answered by one of its options", async () => {
    expect(await askGate(gate, scripted("yes"))).toEqual({ kind: "gate", value: "yes", additional_input: {} });
  });

  it("asks for the text that the option wants", async () => {
    expect(await askGate(gate, scripted("no", "too late"))).toMatchObject({
      value: "no",
      additional_input: { why: "too late" },
    });
  });

  it("asks again for a text that was left empty, unless it may be", async () => {
    const prompts = scripted("no", "  ", "too late");
    expect(await askGate(gate, prompts)).toMatchObject({ additional_input: { why: "too late" } });
    expect(prompts.asked).toEqual(["approve [yes no]", "why", "why"]);
    const options = gate.options.map((option) =>
      option.prompt_for ? { ...option, prompt_optional: true as const } : option,
    );
    expect(await askGate({ ...gate, options }, scripted("no", ""))).toMatchObject({ additional_input: { why: "" } });
  });

  it("is left when the person leaves, also in the middle", async () => {
    expect(await askGate(gate, scripted(LEFT))).toBe(LEFT);
    expect(await askGate(gate, scripted("no", LEFT))).toBe(LEFT);
  });
});

const item = (id: string, more: Partial<QuestionItem> = {}): QuestionItem => ({
  id,
  text: `${id}?`,
  allow_free_text: true,
  required: false,
  multiline: false,
  ...more,
});
const list = (questions: QuestionItem[], more: Partial<QuestionList> = {}): QuestionList => ({
  kind: "questions",
  node: "ask",
  key: "ask",
  questions,
  allow_back: true,
  allow_skip: true,
  allow_skip_all: true,
  allow_abort: true,
  ...more,
});

describe("a list of questions", () => {
  it("is answered in order and looked at before it is sent", async () => {
    const answer = await askQuestions(
      list([item("a", { choices: ["x", "y"] }), item("b")]),
      scripted("choice:y", "free", "send"),
    );
    expect(answer).toEqual({
      kind: "questions",
      outcome: "completed",
      answers: [
        { id: "a", answer: "y", source: "choice" },
        { id: "b", answer: "free", source: "free_text" },
      ],
    });
  });

  it("goes back, and an answer can be changed in the review", async () => {
    const answer = await askQuestions(list([item("a"), item("b")]), scripted("1", ":back", "2", "3", "a", "4", "send"));
    expect(answer).toMatchObject({ answers: [{ answer: "4" }, { answer: "3" }] });
  });

  it("goes on after what was answered before, and tells each answer at once", async () => {
    const told: string[] = [];
    const given = [{ id: "a", answer: "1", source: "free_text" as const }];
    const answered = ({ id, answer }: { id: string; answer: string }): void => void told.push(`${id}=${answer}`);
    const prompts = scripted("2", "a", "4", "send");
    const answer = await askQuestions(list([item("a"), item("b")]), prompts, { given, answered });
    expect(answer).toMatchObject({ answers: [{ answer: "4" }, { answer: "2" }] });
    expect(told).toEqual(["b=2", "a=4"]);
  });

  it("takes the default for nothing, and skips where there is none", async () => {
    const answer = await askQuestions(list([item("a", { default: "d" }), item("b")]), scripted("", "", "send"));
    expect(answer).toMatchObject({
      answers: [
        { answer: "d", source: "default" },
        { answer: "", source: "skipped" },
      ],
    });
  });

  it("does not offer to skip what is required", async () => {
    const prompts = scripted("choice:x");
    await askQuestions(list([item("a", { choices: ["x"], required: true, allow_free_text: false })]), prompts);
    expect(prompts.asked).toEqual(["a? [choice:x abort]"]);
  });

  it("asks again when something is required and nothing was written", async () => {
    expect(await askQuestions(list([item("a", { required: true })]), scripted("", "now"))).toMatchObject({
      answers: [{ answer: "now" }],
    });
  });

  it("skips all that remain, or aborts", async () => {
    expect(await askQuestions(list([item("a"), item("b")]), scripted("1", ":skip all"))).toMatchObject({
      outcome: "skipped_remaining",
      answers: [{ answer: "1" }, { source: "skipped" }],
    });
    expect(await askQuestions(list([item("a"), item("b")]), scripted("1", ":abort"))).toMatchObject({
      outcome: "aborted",
      answers: [{ answer: "1" }],
    });
  });
});
