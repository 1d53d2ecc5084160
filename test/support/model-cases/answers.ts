// What becomes of what a model says: text, objects, tools, thoughts, tokens.
import { expect } from "vitest";
import type { EventType } from "../../../src/base/events/registry.ts";
import type { FakeUsage } from "../../fakes/index.ts";
import { type Case, expectAnswer, type Outcome, of } from "./case.ts";

const SCHEMA = {
  type: "object",
  properties: { title: { type: "string" }, score: { type: "number" } },
  required: ["title", "score"],
};

const ENVELOPE = {
  type: "object",
  properties: {
    conductor_error: { const: true },
    kind: { type: "string", enum: ["external.git.drift"] },
    message: { type: "string" },
    details: { type: "object" },
  },
  required: ["conductor_error", "kind", "message"],
};

const USAGE: FakeUsage = { input: 100, output: 20, cacheRead: 60, cacheWrite: 10, reasoning: 7 };

const spoken = (outcome: Outcome, type: EventType) =>
  of(outcome, type)
    .map(({ content }) => content)
    .join("");

export const ANSWERS: readonly Case[] = [
  {
    name: "gives free text as it was said, and streams it",
    answers: ["Hello there, this is a plain answer."],
    request: { system: "Be brief.", prompt: "Say hello" },
    expect: (outcome, { models }) => {
      expectAnswer(outcome, "Hello there, this is a plain answer.");
      expect(spoken(outcome, "agent_message")).toBe("Hello there, this is a plain answer.");
      expect(of(outcome, "agent_turn_start")).toEqual([{ agent_name: "writer", turn: 1, model: models[0] }]);
      expect(outcome.fake.requests[0]).toMatchObject({ model: models[0], prompt: "Say hello", stream: true });
      expect(outcome.fake.requests[0]?.system).toContain("Be brief.");
    },
  },
  {
    name: "gives an object for a schema",
    answers: [{ json: { title: "Segno", score: 3 } }],
    request: { schema: SCHEMA },
    expect: (outcome) => {
      expectAnswer(outcome, { title: "Segno", score: 3 });
      expect(outcome.fake.requests[0]?.schema).toMatchObject({ type: "object", properties: SCHEMA.properties });
    },
  },
  {
    name: "asks for output or envelope inside an object, and unpacks the answer",
    answers: [{ json: { answer_or_error: { conductor_error: true, kind: "external.git.drift", message: "moved" } } }],
    request: { schema: { anyOf: [SCHEMA, ENVELOPE] }, raises: ["external.git.drift"] },
    expect: (outcome) => {
      expectAnswer(outcome, { conductor_error: true, kind: "external.git.drift", message: "moved" });
      expect(outcome.fake.requests[0]?.schema).toMatchObject({ type: "object" });
      expect(outcome.fake.requests[0]?.schema).not.toHaveProperty("anyOf");
    },
  },
  {
    name: "gives an answer of the wrong shape as it is, for the step to ask again",
    answers: [{ json: { titel: "oops" } }],
    request: { schema: SCHEMA },
    expect: (outcome) => expectAnswer(outcome, { titel: "oops" }),
  },
  {
    name: "finds the object in an answer that is prose around a fenced block",
    answers: ['Here you are:\n\n```json\n{"title": "x", "score": 1}\n```\nAnything else?'],
    request: { schema: SCHEMA },
    expect: (outcome) => expectAnswer(outcome, { title: "x", score: 1 }),
  },
  {
    name: "gives text when a schema was asked for and there is no JSON in the answer",
    answers: ["I would rather not."],
    request: { schema: SCHEMA },
    expect: (outcome) => expectAnswer(outcome, "I would rather not."),
  },
  {
    name: "runs the tools that the model calls and sends their answers back",
    answers: [{ tools: [{ name: "weather__today", input: { city: "Bern" } }], text: "Let me look." }, "It is sunny."],
    withTool: true,
    expect: (outcome) => {
      expectAnswer(outcome, "It is sunny.");
      expect(of(outcome, "agent_tool_start")).toEqual([
        { agent_name: "writer", tool_name: "weather__today", arguments: { city: "Bern" } },
      ]);
      expect(of(outcome, "agent_tool_complete")).toEqual([
        { agent_name: "writer", tool_name: "weather__today", result: "sunny in Bern" },
      ]);
      expect(of(outcome, "agent_turn_start")).toHaveLength(2);
      expect(outcome.fake.requests[0]?.tools.map((tool) => tool.name)).toEqual(["weather__today"]);
      expect(outcome.fake.requests[1]?.prompt).toBe("sunny in Bern");
      expect(outcome.result.usage).toMatchObject({ input_tokens: 20, output_tokens: 10 });
    },
  },
  {
    name: "runs tools and still gives an object for a schema",
    answers: [{ tools: [{ name: "weather__today", input: { city: "Bern" } }] }, { json: { title: "sunny", score: 9 } }],
    withTool: true,
    request: { schema: SCHEMA },
    expect: (outcome) => expectAnswer(outcome, { title: "sunny", score: 9 }),
  },
  {
    name: "asks for the answer when the tool rounds are used up",
    answers: (request) =>
      request.messages.some(({ text }) => text.includes("final answer"))
        ? "Enough."
        : { tools: [{ name: "weather__today", input: {} }] },
    withTool: true,
    request: { options: { max_agent_iterations: 2 } },
    expect: (outcome) => {
      expectAnswer(outcome, "Enough.");
      expect(outcome.fake.requests).toHaveLength(3);
      expect(of(outcome, "warning")[0]?.message).toContain("max_agent_iterations (2)");
    },
  },
  {
    name: "asks for reasoning and shows it",
    answers: [{ text: "42", thinking: "Six times seven, that is well known." }],
    request: { options: { reasoning_effort: "high" } },
    expect: (outcome, { showsReasoning }) => {
      expectAnswer(outcome, "42");
      if (showsReasoning) expect(spoken(outcome, "agent_reasoning")).toBe("Six times seven, that is well known.");
    },
  },
  {
    name: "reasons through a tool call",
    answers: [
      { tools: [{ name: "weather__today", input: { city: "Bern" } }], thinking: "I need the weather." },
      "sunny",
    ],
    withTool: true,
    request: { options: { reasoning_effort: "low" } },
    expect: (outcome) => expectAnswer(outcome, "sunny"),
  },
  {
    name: "counts tokens, cached ones and reasoning included",
    answers: [{ text: "ok", usage: USAGE }],
    expect: (outcome, { models, countsCacheWrites, countsReasoning }) => {
      const counted = {
        model: models[0],
        input_tokens: 100,
        output_tokens: 20,
        cache_read_tokens: 60,
        cache_write_tokens: countsCacheWrites ? 10 : 0,
        reasoning_tokens: countsReasoning ? 7 : 0,
        cost_usd: ((countsCacheWrites ? 30 : 40) * 3 + 20 * 15 + 60 * 0.3 + (countsCacheWrites ? 10 : 0) * 4) / 1e6,
      };
      expect(outcome.result.usage.cost_usd).toBeCloseTo(counted.cost_usd, 12);
      expect(outcome.result.usage).toMatchObject({ ...counted, cost_usd: expect.any(Number) });
    },
  },
  {
    name: "says that an answer was cut at max_tokens",
    answers: [{ text: "It was the best of", cutAtMaxTokens: true }],
    request: { options: { max_tokens: 50 } },
    expect: (outcome) => {
      expectAnswer(outcome, "It was the best of");
      expect(of(outcome, "warning")[0]?.message).toContain("max_tokens");
    },
  },
];
