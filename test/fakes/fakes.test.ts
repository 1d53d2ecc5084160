// The fakes themselves: what tests rely on when they use them without a provider in between.
import { afterEach, describe, expect, test } from "vitest";
import { answerForSchema, type Fake, startAnthropicFake, startOpenAiFake } from "./index.ts";

let fake: Fake | undefined;
afterEach(async () => {
  await fake?.close();
  fake = undefined;
});

const post = async (url: string, body: unknown) => {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
};

const ask = [{ role: "user", content: "Hi" }];

describe("without streaming", () => {
  test("Messages", async () => {
    fake = await startAnthropicFake({ answers: [{ text: "Hello", usage: { input: 9, cacheRead: 4 } }] });
    const { body } = await post(`${fake.url}/v1/messages`, { model: "m", messages: ask });
    expect(body).toMatchObject({
      content: [{ type: "text", text: "Hello" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 5, cache_read_input_tokens: 4 },
    });
  });

  test("Chat Completions", async () => {
    fake = await startOpenAiFake({ answers: [{ tools: [{ name: "t", input: { a: 1 } }] }] });
    const { body } = await post(`${fake.url}/v1/chat/completions`, { model: "m", messages: ask });
    expect(body).toMatchObject({
      choices: [
        { finish_reason: "tool_calls", message: { tool_calls: [{ function: { name: "t", arguments: '{"a":1}' } }] } },
      ],
    });
  });

  test("Responses", async () => {
    fake = await startOpenAiFake({ answers: ["Hello"] });
    const { body } = await post(`${fake.url}/v1/responses`, { model: "m", input: "Hi" });
    expect(body).toMatchObject({ status: "completed", output: [{ type: "message", content: [{ text: "Hello" }] }] });
    expect(fake.requests[0]?.prompt).toBe("Hi");
  });
});

test("answers come from a queue whose last one repeats, faults among them", async () => {
  fake = await startAnthropicFake({ answers: [{ status: 429, headers: { "retry-after": "3" } }, "then this"] });
  const url = `${fake.url}/v1/messages`;
  const first = await post(url, { model: "m", messages: ask });
  expect(first).toMatchObject({ status: 429, body: { error: { type: "rate_limit_error" } } });
  expect(first.headers.get("retry-after")).toBe("3");
  for (let n = 0; n < 2; n += 1)
    expect((await post(url, { model: "m", messages: ask })).body).toMatchObject({ content: [{ text: "then this" }] });
  expect(fake.requests).toHaveLength(3);
});

test("a function sees what the model would see", async () => {
  fake = await startAnthropicFake({ answers: ({ system, prompt, index }) => `${index}: ${system} / ${prompt}` });
  const { body } = await post(`${fake.url}/v1/messages`, {
    model: "m",
    system: [{ type: "text", text: "Be brief" }],
    messages: ask,
  });
  expect(body).toMatchObject({ content: [{ text: "0: Be brief / Hi" }] });
});

test.each([
  [{ type: "string" }, "ok"],
  [{ type: "string", minLength: 5 }, "ok..."],
  [{ type: "string", enum: ["a", "b"] }, "a"],
  [{ const: true }, true],
  [{ type: ["number", "null"], minimum: 3 }, 3],
  [{ type: "number", maximum: 0 }, 0],
  [{ type: "array", items: { type: "boolean" }, minItems: 2 }, [true, true]],
  [{ anyOf: [{ type: "object", properties: { a: { type: "integer" } } }, { type: "null" }] }, { a: 1 }],
  [undefined, "ok"],
])("the least that fits %j is %j", (schema, value) => {
  expect(answerForSchema(schema)).toEqual(value);
});
