// What every provider must do, as one list: each case is an exchange with a fake server and what a user would notice.
// A new provider passes by adding a line to the wires of `providers.test.ts`, not by copying tests.
import { expect } from "vitest";
import type { Answers, Fake, FakeUsage } from "../../test/fakes/index.ts";
import type { EventType } from "../events/registry.ts";
import type { ModelRequest, ModelResult } from "../steps/world.ts";

export interface Outcome {
  readonly result: ModelResult;
  readonly fake: Fake;
  readonly events: readonly { readonly type: EventType; readonly data: Record<string, unknown> }[];
  /** What the clock was asked to wait, in seconds. */
  readonly waits: readonly number[];
  /** Milliseconds that really passed. */
  readonly took: number;
}

/** What differs between wire formats, as far as a case has to know. */
export interface Traits {
  readonly provider: string;
  readonly models: readonly [string, string];
  /** Has no word for tokens written to a cache. */
  readonly countsCacheWrites: boolean;
  readonly countsReasoning: boolean;
  /** Streams what the model thought. */
  readonly showsReasoning: boolean;
}

export interface Case {
  readonly name: string;
  readonly answers: Answers;
  readonly request?: Partial<ModelRequest>;
  /** Give the agent both models, not only the first. */
  readonly withFallback?: boolean;
  /** Give the agent a tool `weather__today` that answers `sunny`. */
  readonly withTool?: boolean;
  /** Abort the step this many milliseconds after it began. */
  readonly abortAfterMs?: number;
  readonly expect: (outcome: Outcome, traits: Traits) => void;
}

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

const of = (outcome: Outcome, type: EventType) =>
  outcome.events.filter((event) => event.type === type).map(({ data }) => data);
const spoken = (outcome: Outcome, type: EventType) =>
  of(outcome, type)
    .map(({ content }) => content)
    .join("");

function expectAnswer({ result }: Outcome, content: unknown): void {
  expect(result).toMatchObject({ ok: true, content });
}

function expectFailure({ result }: Outcome, kind: string, details: Record<string, unknown>): void {
  if (result.ok) throw new Error(`expected ${kind}, got the answer ${JSON.stringify(result.content)}`);
  expect(result.error.kind).toBe(kind);
  expect(result.error.details).toMatchObject(details);
}

export const CASES: readonly Case[] = [
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
    name: "does not try a 401 again and says that it was refused",
    answers: [{ status: 401, message: "invalid key" }],
    expect: (outcome, { provider, models }) => {
      expectFailure(outcome, "provider.rejected", {
        provider,
        model: models[0],
        attempts: 1,
        status_code: 401,
        last_error: "invalid key",
        retry_after: null,
      });
      expect(outcome.fake.requests).toHaveLength(1);
    },
  },
  {
    name: "does not try a 400 again",
    answers: [{ status: 400, message: "bad request" }],
    expect: (outcome) => expectFailure(outcome, "provider.rejected", { status_code: 400, attempts: 1 }),
  },
  {
    name: "takes a refusal of the model for a refusal",
    answers: [{ refusal: "I cannot help with that." }],
    expect: (outcome) => {
      expectFailure(outcome, "provider.rejected", { attempts: 1 });
      expect(outcome.fake.requests).toHaveLength(1);
    },
  },
  {
    name: "waits as long as retry-after says, then goes on",
    answers: [{ status: 429, headers: { "retry-after": "7" } }, "ok"],
    expect: (outcome) => {
      expectAnswer(outcome, "ok");
      expect(outcome.waits).toEqual([7]);
      expect(of(outcome, "agent_retry")).toMatchObject([{ attempt: 1, max_attempts: 4, error_type: "429", delay: 7 }]);
    },
  },
  {
    name: "gives up on a 429 that does not end, after three retries with growing waits",
    answers: [{ status: 429, message: "slow down" }],
    expect: (outcome) => {
      expectFailure(outcome, "provider.exhausted", {
        attempts: 4,
        status_code: 429,
        last_error: "slow down",
        retry_after: null,
      });
      expect(outcome.waits).toEqual([1, 2, 4]);
      expect(outcome.fake.requests).toHaveLength(4);
    },
  },
  {
    name: "does not sit through a retry-after of an hour, and passes it on",
    answers: [{ status: 429, headers: { "retry-after": "3600" } }],
    expect: (outcome) => {
      expectFailure(outcome, "provider.exhausted", { attempts: 1, retry_after: 3600 });
      expect(outcome.waits).toEqual([]);
    },
  },
  {
    name: "takes the step's own retry for its transport budget",
    answers: [{ status: 500 }],
    request: { options: { retry: { max_attempts: 2, backoff: "fixed", delay_seconds: 5 } } },
    expect: (outcome) => {
      expectFailure(outcome, "provider.exhausted", { attempts: 2, status_code: 500 });
      expect(outcome.waits).toEqual([5]);
    },
  },
  {
    name: "survives two 500s",
    answers: [{ status: 500 }, { status: 500 }, "third time"],
    expect: (outcome) => {
      expectAnswer(outcome, "third time");
      expect(outcome.fake.requests).toHaveLength(3);
    },
  },
  {
    name: "survives an overloaded server",
    answers: [{ status: 529 }, "ok"],
    expect: (outcome) => {
      expectAnswer(outcome, "ok");
      expect(of(outcome, "agent_retry")).toMatchObject([{ error_type: "529" }]);
    },
  },
  {
    name: "starts over when the stream is cut in the middle",
    answers: [{ fault: "cut" }, "whole again"],
    expect: (outcome) => {
      expectAnswer(outcome, "whole again");
      expect(of(outcome, "agent_retry")).toHaveLength(1);
    },
  },
  {
    name: "gives up when every stream is cut",
    answers: [{ fault: "cut" }],
    expect: (outcome) => expectFailure(outcome, "provider.exhausted", { attempts: 4, status_code: null }),
  },
  {
    name: "does not take a stream that ends early for an answer",
    answers: [{ fault: "end_early" }, "whole again"],
    expect: (outcome) => {
      expectAnswer(outcome, "whole again");
      expect(outcome.fake.requests).toHaveLength(2);
    },
  },
  {
    name: "does not take an error in the middle of the stream for an answer",
    answers: [{ fault: "stream_error" }, "whole again"],
    expect: (outcome) => {
      expectAnswer(outcome, "whole again");
      expect(outcome.fake.requests).toHaveLength(2);
    },
  },
  {
    name: "stops waiting for headers after the timeout of a call, and tries again",
    answers: [{ fault: "slow_headers" }, "in time"],
    request: { options: { call_timeout_seconds: 0.3 } },
    expect: (outcome) => {
      expectAnswer(outcome, "in time");
      expect(of(outcome, "agent_retry")).toMatchObject([{ error_type: "timeout" }]);
    },
  },
  {
    name: "says that there was no answer in time when it never comes",
    answers: [{ fault: "slow_headers" }],
    request: { options: { call_timeout_seconds: 0.1, retry: { max_attempts: 2 } } },
    expect: (outcome) => {
      expectFailure(outcome, "provider.exhausted", { attempts: 2, last_error: "there was no answer within 0.1 s" });
    },
  },
  {
    name: "tries again when the body is not what it says",
    answers: [{ fault: "invalid_json" }, "readable"],
    expect: (outcome) => {
      expectAnswer(outcome, "readable");
      expect(outcome.fake.requests).toHaveLength(2);
    },
  },
  {
    name: "ends at once when the step is aborted",
    answers: [{ fault: "slow_headers" }],
    abortAfterMs: 50,
    expect: (outcome) => {
      expect(outcome.result.ok).toBe(false);
      expect(outcome.took).toBeLessThan(5000);
      expect(outcome.fake.requests).toHaveLength(1);
      expect(outcome.waits).toEqual([]);
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
    name: "goes to the next model when one is out of reach",
    withFallback: true,
    answers: (request) => (request.model.includes("first") ? { status: 503 } : `from ${request.model}`),
    expect: (outcome, { models }) => {
      expectAnswer(outcome, `from ${models[1]}`);
      expect(of(outcome, "agent_fallback")).toEqual([
        { agent_name: "writer", from: models[0], to: models[1], kind: "provider.exhausted" },
      ]);
      expect(outcome.result.usage.model).toBe(models[1]);
    },
    request: { options: { retry: { max_attempts: 1 } } },
  },
  {
    name: "does not go to the next model when it was refused",
    withFallback: true,
    answers: [{ status: 401 }],
    expect: (outcome) => {
      expectFailure(outcome, "provider.rejected", { status_code: 401 });
      expect(of(outcome, "agent_fallback")).toEqual([]);
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
