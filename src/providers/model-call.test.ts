// What a call does beyond the shared cases: keys, memory, breakers, and what each API is sent.
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import {
  type Answers,
  answerForSchema,
  type Fake,
  startAnthropicFake,
  startOpenAiFake,
} from "../../test/fakes/index.ts";
import { modelRequest, testAttempt } from "../../test/support/model-calls.ts";
import { raised } from "../base/errors/index.ts";
import { serverProcesses } from "../steps/process/start-process.ts";
import type { ModelRequest } from "../steps/world.ts";
import { createMcpPool, type McpPool } from "./mcp/pool.ts";
import { callModel, type ModelEnvironment } from "./model-call.ts";

const fakes: Fake[] = [];
afterEach(async () => {
  await Promise.all(fakes.splice(0).map((fake) => fake.close()));
});

async function anthropic(answers: Answers) {
  const fake = await startAnthropicFake({ answers });
  fakes.push(fake);
  const base: ModelEnvironment = {
    env: { ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: fake.url },
    random: () => 0,
  };
  const ask = async (request: Partial<ModelRequest>, environment: Partial<ModelEnvironment> = {}, runtime = {}) => {
    const { attempt, events } = testAttempt({ runtime });
    return { result: await callModel(modelRequest(request), attempt, { ...base, ...environment }), events };
  };
  return { fake, ask };
}

describe("a key", () => {
  test.each([
    ["anthropic", "ANTHROPIC_API_KEY"],
    ["openai", "OPENAI_API_KEY"],
  ])("of %s that is missing is asked for by name", async (provider, variable) => {
    const { attempt } = testAttempt();
    const result = await callModel(modelRequest({ provider, models: ["some-model"] }), attempt, {
      env: { [variable]: "" },
    });
    expect(result).toMatchObject({
      ok: false,
      error: { kind: "provider.rejected", details: { provider, model: "some-model" } },
    });
    expect(!result.ok && result.error.message).toContain(variable);
  });

  test("may be a token for a gateway, from the file or the environment", async () => {
    const { fake, ask } = await anthropic(["ok"]);
    const provider = { name: "claude", base_url: fake.url, auth_token: "gateway-token", headers: { "x-team": "blue" } };
    await ask({}, {}, { provider });
    await ask({}, { env: { ANTHROPIC_AUTH_TOKEN: "other-token", ANTHROPIC_BASE_URL: fake.url } });
    expect(fake.requests[0]?.headers).toMatchObject({ authorization: "Bearer gateway-token", "x-team": "blue" });
    expect(fake.requests[0]?.headers).not.toHaveProperty("x-api-key");
    expect(fake.requests[1]?.headers).toMatchObject({ authorization: "Bearer other-token" });
  });

  test("of one provider is not sent to another", async () => {
    const { fake, ask } = await anthropic(["ok"]);
    await ask({ provider: "anthropic" }, {}, { provider: { name: "openai", api_key: "sk-openai" } });
    expect(fake.requests[0]?.headers).toMatchObject({ "x-api-key": "sk-test" });
  });
});

test("a provider that Segno does not have is refused with a word on what to use", async () => {
  const { attempt } = testAttempt();
  const result = await callModel(modelRequest({ provider: "hermes" }), attempt, { env: {} });
  expect(result).toMatchObject({
    ok: false,
    error: { kind: "provider.rejected", details: { provider: "hermes", attempts: 0 } },
  });
});

describe("what Anthropic is sent", () => {
  test.each([
    ["claude-sonnet-4-5", "low", { type: "enabled", budget_tokens: 2048 }],
    ["claude-sonnet-4-5", "medium", { type: "enabled", budget_tokens: 8192 }],
    ["claude-sonnet-4-5", "high", { type: "enabled", budget_tokens: 16384 }],
    ["claude-sonnet-4-5", "xhigh", { type: "enabled", budget_tokens: 32768 }],
    ["claude-sonnet-4-5", "max", { type: "enabled", budget_tokens: 59904 }],
    ["claude-opus-5-5", "max", { type: "adaptive" }],
  ])("%s thinks with effort %s", async (model, effort, thinking) => {
    const { fake, ask } = await anthropic(["ok"]);
    await ask({ models: [model], options: { reasoning_effort: effort } });
    expect(fake.requests[0]?.body).toMatchObject({ thinking });
  });

  test("always has a limit for the answer, the step's settings over the file's", async () => {
    const { fake, ask } = await anthropic(["ok"]);
    await ask({ models: ["claude-sonnet-4.5"] });
    await ask(
      { models: ["claude-sonnet-4-5"], options: { max_tokens: 99, temperature: 0.5 } },
      {},
      { max_tokens: 5, temperature: 1 },
    );
    expect(fake.requests[0]?.body).toMatchObject({ model: "claude-sonnet-4-5", max_tokens: 16384 });
    expect(fake.requests[1]?.body).toMatchObject({ max_tokens: 99, temperature: 0.5 });
  });

  test("may have a free-form envelope in its schema, with and without thinking", async () => {
    const output = { type: "object", properties: { title: { type: "string" } }, required: ["title"] };
    const envelope = {
      type: "object",
      properties: { kind: { type: "string" }, details: { type: "object" } },
      required: ["kind"],
    };
    const { ask } = await anthropic(({ schema }) => ({ json: answerForSchema(schema) }));
    for (const options of [{}, { reasoning_effort: "low" }])
      for (const model of ["claude-sonnet-4-5", "claude-3-5-haiku-latest", "claude-opus-5-5"]) {
        const { result } = await ask({ models: [model], schema: { anyOf: [output, envelope] }, options });
        expect(result).toMatchObject({ ok: true, content: { title: "ok" } });
      }
  });
});

describe("what a server that speaks OpenAI's language is sent", () => {
  const openai = async (provider: Record<string, unknown>, request: Partial<ModelRequest> = {}) => {
    const fake = await startOpenAiFake({
      answers: ({ schema }) => (schema ? { json: answerForSchema(schema) } : "ok"),
    });
    fakes.push(fake);
    const { attempt } = testAttempt({
      runtime: { provider: { name: "openai", base_url: `${fake.url}/v1`, ...provider } },
    });
    if (provider.base_url === "") Object.assign(attempt.workflow.runtime.provider as object, { base_url: fake.url });
    const result = await callModel(modelRequest({ provider: "openai", models: ["local"], ...request }), attempt, {
      env: {},
    });
    expect(result.ok).toBe(true);
    return fake.requests[0];
  };

  test("no limit for the answer unless the file has one: local windows are small", async () => {
    expect((await openai({}))?.body).not.toHaveProperty("max_tokens");
    expect((await openai({}, { options: { max_tokens: 7 } }))?.body).toMatchObject({ max_tokens: 7 });
  });

  test("the schema both as a format and in words", async () => {
    const request = await openai(
      {},
      { schema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } },
    );
    expect(request?.schema).toMatchObject({ type: "object" });
    expect(request?.system).toContain('"n"');
  });

  test("through Responses when wire_api says so", async () => {
    expect((await openai({ wire_api: "responses" }))?.path).toBe("/v1/responses");
  });

  test("Azure's way, by route or by deployment", async () => {
    const plain = await openai({ type: "azure", base_url: "", api_key: "azure-key" });
    expect(plain).toMatchObject({ path: "/openai/v1/chat/completions", headers: { "api-key": "azure-key" } });
    const dated = await openai({ type: "azure", base_url: "", api_key: "k", azure: { api_version: "2024-10-21" } });
    expect(dated?.path).toBe("/openai/deployments/local/chat/completions?api-version=2024-10-21");
  });
});

describe("what a model thought before a tool call", () => {
  const mcp: McpPool = {
    listTools: async () => ({
      ok: true,
      tools: [{ server: "s", name: "t", description: "", inputSchema: { type: "object" } }],
    }),
    callTool: async () => ({ ok: true, content: "done" }),
    close: async () => {},
  };
  const answers: Answers = [{ tools: [{ name: "s__t", input: {} }], thinking: "First the tool." }, "ok"];
  const options = { reasoning_effort: "low" };

  test("goes back to Anthropic with its signature", async () => {
    const { fake, ask } = await anthropic(answers);
    await ask({ models: ["claude-sonnet-4-5"], options }, { mcp });
    const messages = fake.requests[1]?.body.messages as { content: unknown[] }[];
    expect(messages[1]?.content[0]).toMatchObject({
      type: "thinking",
      thinking: "First the tool.",
      signature: "c2lnbmVk",
    });
  });

  test("goes back to OpenAI sealed, and nothing is stored there", async () => {
    const fake = await startOpenAiFake({ answers });
    fakes.push(fake);
    const provider = { name: "openai", base_url: `${fake.url}/v1`, wire_api: "responses", api_key: "k" };
    const { attempt } = testAttempt({ runtime: { provider } });
    await callModel(modelRequest({ provider: "openai", models: ["gpt-5"], options }), attempt, { env: {}, mcp });
    expect(fake.requests[0]?.body).toMatchObject({ store: false, reasoning: { effort: "low" } });
    expect(fake.requests[1]?.body.input).toContainEqual(
      expect.objectContaining({ type: "reasoning", encrypted_content: "c2VhbGVk" }),
    );
  });
});

describe("a session", () => {
  test("is one conversation for all agents with its key", async () => {
    const { fake, ask } = await anthropic(["first answer", "second answer", "third answer"]);
    const sessions = new Map();
    await ask({ prompt: "first question", options: { session_key: "s" } }, { sessions });
    await ask({ prompt: "second question", options: { session_key: "s" } }, { sessions });
    await ask({ prompt: "somebody else" }, { sessions });
    expect(fake.requests[1]?.messages.map(({ text }) => text)).toEqual([
      "first question",
      "first answer",
      "second question",
    ]);
    expect(fake.requests[2]?.messages).toHaveLength(1);
  });

  test("is not joined by the validator of its agent", async () => {
    const { fake, ask } = await anthropic(["answer", "verdict"]);
    const sessions = new Map();
    await ask({ options: { session_key: "s" } }, { sessions });
    await ask({ purpose: "validator", options: { session_key: "s" } }, { sessions });
    expect(fake.requests[1]?.messages).toHaveLength(1);
  });
});

describe("a breaker", () => {
  test("that is open sends the call to the next model", async () => {
    const { fake, ask } = await anthropic(["ok"]);
    const told: unknown[] = [];
    const breaker = {
      admit: ({ model }: { model: string }) => (model === "claude-a" ? raised("circuit.open", "open") : undefined),
      report: (target: { model: string }, error: unknown) => void told.push([target.model, error]),
    };
    const { result, events } = await ask({ models: ["claude-a", "claude-b"] }, { breaker });
    expect(result).toMatchObject({ ok: true, usage: { model: "claude-b" } });
    expect(events.find((event) => event.type === "agent_fallback")?.data).toMatchObject({ kind: "circuit.open" });
    expect(fake.requests).toHaveLength(1);
    expect(told).toEqual([["claude-b", undefined]]);
  });

  test("is told of a failure, and is the step's error when there is no other model", async () => {
    const { ask } = await anthropic([{ status: 500 }]);
    const told: unknown[] = [];
    const breaker = {
      admit: () => undefined,
      report: (_: unknown, error?: { kind: string }) => void told.push(error?.kind),
    };
    await ask({ options: { retry: { max_attempts: 1 } } }, { breaker });
    expect(told).toEqual(["provider.exhausted"]);
    const open = { ...breaker, admit: () => raised("circuit.open", "open") };
    expect((await ask({}, { breaker: open })).result).toMatchObject({ ok: false, error: { kind: "circuit.open" } });
  });
});

test("a model that cannot be priced has no cost, not none", async () => {
  const { ask } = await anthropic(["ok"]);
  const { result } = await ask({ models: ["house-model"] });
  expect(result.usage).toMatchObject({ model: "house-model", cost_usd: null });
});

test("an MCP server that does not come up fails the agent before the model is asked", async () => {
  const { fake, ask } = await anthropic(["ok"]);
  const error = raised("mcp.protocol_error", "no such command", { code: "ENOENT" });
  const mcp: McpPool = {
    listTools: async () => ({ ok: false, error }),
    callTool: async () => ({ ok: false, error }),
    close: async () => {},
  };
  expect((await ask({}, { mcp })).result).toMatchObject({ ok: false, error: { kind: "mcp.protocol_error" } });
  expect(fake.requests).toHaveLength(0);
});

test("an agent uses the tools of a real MCP server", async () => {
  const server = join(process.cwd(), "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  const mcp = createMcpPool(
    { all: { command: process.execPath, args: [server] } },
    { PATH: process.env.PATH },
    { cwd: process.cwd(), processes: serverProcesses },
  );
  try {
    const { fake, ask } = await anthropic([{ tools: [{ name: "all__get-sum", input: { a: 2, b: 3 } }] }, "Five."]);
    const { result } = await ask({ tools: ["get-sum", "echo"] }, { mcp });
    expect(result).toMatchObject({ ok: true, content: "Five." });
    expect(fake.requests[0]?.tools.map(({ name }) => name).sort()).toEqual(["all__echo", "all__get-sum"]);
    expect(fake.requests[1]?.prompt).toContain("5");
  } finally {
    await mcp.close();
  }
});
