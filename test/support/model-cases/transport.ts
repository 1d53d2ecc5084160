// What becomes of a call that is refused, fails, hangs or is cut: tried again, given up, handed to the next model.
import { expect } from "vitest";
import { type Case, expectAnswer, expectFailure, type Outcome, of } from "./case.ts";

export const TRANSPORT: readonly Case[] = [
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
    name: "reads an answer that comes as a whole although a stream was asked for",
    answers: [{ text: "all at once", isWhole: true, usage: { input: 12, output: 3 } }],
    expect: (outcome) => {
      expectAnswer(outcome, "all at once");
      expect(outcome.result.usage).toMatchObject({ input_tokens: 12, output_tokens: 3 });
      expect(outcome.fake.requests).toHaveLength(1);
      expect(of(outcome, "agent_message").map(({ content }) => content)).toEqual(["all at once"]);
      expect(of(outcome, "agent_retry")).toEqual([]);
    },
  },
  {
    name: "reads calls of tools that come as a whole",
    answers: [
      { tools: [{ name: "weather__today", input: { city: "Ulm" } }], isWhole: true },
      { text: "It is sunny.", isWhole: true },
    ],
    withTool: true,
    expect: (outcome) => {
      expectAnswer(outcome, "It is sunny.");
      expect(outcome.fake.requests[1]?.results).toEqual([expect.stringContaining("sunny")]);
    },
  },
  {
    name: "reads structured output that comes as a whole",
    answers: [{ json: { n: 1 }, isWhole: true }],
    request: { schema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } },
    expect: (outcome) => expectAnswer(outcome, { n: 1 }),
  },
  ...(["page", "other_json"] as const).map((fault) => ({
    name: `says what came in place of an answer, and does not ask again: ${fault}`,
    answers: [{ fault }],
    expect: (outcome: Outcome) => {
      expectFailure(outcome, "provider.exhausted", {
        attempts: 1,
        last_error: expect.stringMatching(
          /the server sent (text\/html; charset=utf-8|application\/json) .*text\/event-stream.*application\/json was expected/,
        ),
      });
      expect(outcome.fake.requests).toHaveLength(1);
    },
  })),
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
    name: "takes a time limit that is no whole number of milliseconds",
    answers: ["in time"],
    request: { options: { call_timeout_seconds: 1.001 } },
    expect: (outcome) => expectAnswer(outcome, "in time"),
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
    isAborted: true,
    expect: (outcome) => {
      expect(outcome.result.ok).toBe(false);
      expect(outcome.took).toBeLessThan(5000);
      expect(outcome.fake.requests).toHaveLength(1);
      expect(outcome.waits).toEqual([]);
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
];
