// Gates and questions: what is asked, and what an answer comes to.
import { describe, expect, it } from "vitest";
import { testScope } from "../../test/support/engine/attempt.ts";
import type { HumanGateStep, QuestionsStep } from "../language/schema/index.ts";
import { gateOutput, humanGate } from "./human-gate/prepare.ts";
import { questions, questionsOutput } from "./questions/prepare.ts";
import { BadValue } from "./step-type.ts";

const common = { name: "ask", input: [], routes: [], raise_when: [] };

describe("a gate", () => {
  const step: HumanGateStep = {
    ...common,
    type: "human_gate",
    prompt: "Ship **{{ v }}**?",
    options: [
      { name: "go", label: "Yes, {{ v }}", value: "yes_please", route: "done", multiline: false },
      { name: "no", label: "No", value: "no", prompt_for: "why", multiline: true, description: "d{{ v }}" },
    ],
  };
  const prepared = humanGate.prepare(step, testScope({ v: 3 }));

  it("is rendered", () => {
    expect(prepared).toEqual({
      prompt: "Ship **3**?",
      options: [
        { name: "go", label: "Yes, 3", value: "yes_please", route: "done" },
        { name: "no", label: "No", value: "no", description: "d3", prompt_for: "why", multiline: true },
      ],
    });
  });

  it("sees everything, whatever the step's own context is", () => {
    const scope = { ...testScope({}), everything: testScope({ v: 4 }).names };
    expect(humanGate.prepare(step, scope).prompt).toBe("Ship **4**?");
  });

  it.each([
    ["yes_please", { selected: "yes_please", choice: "go", additional_input: {} }],
    ["go", { selected: "yes_please", choice: "go", additional_input: {} }],
    [" yes, 3 ", { selected: "yes_please", choice: "go", additional_input: {} }],
    ["no", { selected: "no", choice: "no", additional_input: { why: "" } }],
    ["maybe", undefined],
  ])("answered with %j", (value, output) => {
    expect(gateOutput(prepared, { value })).toEqual(output);
  });

  it("keeps the text it asked for", () => {
    expect(gateOutput(prepared, { value: "no", additional_input: { why: "late" } })?.additional_input).toEqual({
      why: "late",
    });
  });
});

describe("questions", () => {
  const step = (fields: Partial<QuestionsStep>): QuestionsStep => ({
    ...common,
    type: "questions",
    allow_back: true,
    allow_skip: true,
    allow_skip_all: true,
    allow_abort: false,
    ...fields,
  });
  const free = { allow_free_text: true, required: false, multiline: true };

  it("come from the file, rendered and numbered", () => {
    const list = [
      { ...free, text: "Which {{ v }}?", choices: ["a{{ v }}"], default: "a3" },
      { ...free, id: "why", text: "Why?", hint: "h" },
    ];
    expect(questions.prepare(step({ questions: list, prompt: "About {{ v }}" }), testScope({ v: 3 }))).toMatchObject({
      prompt: "About 3",
      questions: [
        { ...free, id: "q1", text: "Which 3?", choices: ["a3"], default: "a3" },
        { ...free, id: "why", text: "Why?", hint: "h" },
      ],
    });
  });

  it.each([["plan.output.open"], ["{{ plan.output.open }}"], ["plan.output.text"]])(
    "come from an earlier step: %s",
    (source) => {
      const open = [
        "One {{ brace ?",
        { question: "Two?", id: 7, choices: ["x"], allow_free_text: false, required: true },
      ];
      const scope = testScope({ plan: { output: { open, text: JSON.stringify(open) } } });
      expect(questions.prepare(step({ source }), scope).questions).toEqual([
        { ...free, id: "q1", text: "One {{ brace ?" },
        { id: "7", text: "Two?", choices: ["x"], allow_free_text: false, required: true, multiline: true },
      ]);
    },
  );

  it.each([
    ["no list", 5],
    ["a question without text", [{ hint: "x" }]],
    [
      "two with one id",
      [
        { id: "a", text: "1" },
        { id: "a", text: "2" },
      ],
    ],
  ])("are refused: %s", (_, open) => {
    expect(() => questions.prepare(step({ source: "open" }), testScope({ open }))).toThrow(BadValue);
  });

  it("give answers, counts and a transcript", () => {
    const list = ["One?", "Two?", "Three?"];
    const prepared = questions.prepare(step({ source: "list" }), testScope({ list }));
    const output = questionsOutput(prepared, {
      answers: [
        { id: "q1", answer: "first", source: "free_text" },
        { id: "q1", answer: "again", source: "free_text" },
        { id: "q2", answer: "", source: "skipped" },
        { id: "gone", answer: "x", source: "choice" },
      ],
      outcome: "skipped_remaining",
    });
    expect(output).toEqual({
      answers: { q1: "again" },
      items: [
        { id: "q1", question: "One?", answer: "again", source: "free_text", skipped: false },
        { id: "q2", question: "Two?", answer: "", source: "skipped", skipped: true },
        { id: "q3", question: "Three?", answer: "", source: "skipped", skipped: true },
      ],
      transcript: "Q: One?\nA: again\n\nQ: Two?\nA: (skipped)\n\nQ: Three?\nA: (skipped)",
      answered_count: 1,
      skipped_count: 2,
      answered_any: true,
      outcome: "skipped_remaining",
    });
  });
});
