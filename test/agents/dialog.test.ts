// An agent that talks with whoever is there, through the same question that gates ask.
import { expect, it } from "vitest";
import type { FaceAsker } from "../../src/services/request.ts";
import { modelPlayground } from "./model.ts";

const play = modelPlayground();

const file = `
workflow: { name: w, entry_point: a, runtime: { provider: claude, default_model: m } }
agents:
  - { name: a, prompt: Research., dialog: { trigger_prompt: Talk when unsure. } }
output: { text: "{{ a.output.result }}" }
`;

it("asks the person until they have nothing more to say", async () => {
  const replies = ["the cheap one", null];
  const ask: FaceAsker = async (question) =>
    question.kind === "dialog" ? { kind: "dialog", text: replies.shift() ?? null, by: "test" } : undefined;
  play().answer = ({ schema, prompt }) => {
    if (schema) return { json: { trigger: true, question: "Which?" } };
    return prompt.includes("Reply to the user") ? "Noted." : prompt.includes("User: the cheap one") ? "cheap" : "dear";
  };
  play().write({ "main.yaml": file });
  const { result, events } = await play().run("main.yaml", { ask });
  expect(result).toMatchObject({ status: "completed", output: { text: "cheap" } });
  expect(events.map(({ type }) => type).filter((type) => type.startsWith("dialog_"))).toEqual([
    "dialog_started",
    "dialog_message",
    "dialog_message",
    "dialog_message",
    "dialog_completed",
  ]);
});

it.each([
  ["with nobody there", {}],
  ["with --skip-gates", { ask: async () => undefined, skipGates: true }],
])("is skipped %s", async (_, more) => {
  play().write({ "main.yaml": file });
  const { result } = await play().run("main.yaml", more);
  expect(result.status).toBe("completed");
  expect(play().requests).toHaveLength(1);
});
