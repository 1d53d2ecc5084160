// Every provider against the same list of cases, over real HTTP to fakes that speak its wire format.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Fake, type FakeOptions, startAnthropicFake, startOpenAiFake } from "../../test/fakes/index.ts";
import { modelRequest, testAttempt } from "../../test/support/model-calls.ts";
import type { Case, Outcome, Traits } from "../../test/support/model-cases/case.ts";
import { CASES } from "../../test/support/model-cases/index.ts";
import { until } from "../../test/support/until.ts";
import type { McpPool } from "./mcp/pool.ts";
import { callModel, type ModelEnvironment } from "./model-call.ts";

interface WireUnderTest extends Traits {
  readonly name: string;
  readonly start: (options: FakeOptions) => Promise<Fake>;
  readonly runtime: (fake: Fake) => Readonly<Record<string, unknown>>;
  readonly environment: (fake: Fake) => Partial<ModelEnvironment>;
}

/** Sends what is meant for api.openai.com to the fake: the one base URL that is spoken to in OpenAI's own dialect. */
const redirected =
  (fake: Fake): typeof fetch =>
  (input, init) =>
    fetch(String(input).replace("https://api.openai.com", fake.url), init);

const WIRES: readonly WireUnderTest[] = [
  {
    name: "anthropic",
    provider: "anthropic",
    models: ["claude-first", "claude-second"],
    countsCacheWrites: true,
    countsReasoning: false,
    showsReasoning: true,
    start: startAnthropicFake,
    runtime: () => ({}),
    environment: (fake) => ({ env: { ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: fake.url } }),
  },
  {
    name: "openai, Responses",
    provider: "openai",
    models: ["gpt-5-first", "gpt-5-second"],
    countsCacheWrites: false,
    countsReasoning: true,
    showsReasoning: true,
    start: startOpenAiFake,
    runtime: () => ({}),
    environment: (fake) => ({ env: { OPENAI_API_KEY: "sk-test" }, fetch: redirected(fake) }),
  },
  {
    name: "openai, Chat Completions",
    provider: "openai",
    models: ["gpt-4o-first", "gpt-4o-second"],
    countsCacheWrites: false,
    countsReasoning: true,
    showsReasoning: false,
    start: startOpenAiFake,
    runtime: () => ({ provider: { name: "openai", wire_api: "completions" } }),
    environment: (fake) => ({ env: { OPENAI_API_KEY: "sk-test" }, fetch: redirected(fake) }),
  },
  {
    name: "openai, a compatible server",
    provider: "openai",
    models: ["llama-first", "llama-second"],
    countsCacheWrites: false,
    countsReasoning: true,
    showsReasoning: true,
    start: startOpenAiFake,
    runtime: (fake) => ({ provider: { name: "openai", base_url: `${fake.url}/v1` } }),
    environment: () => ({ env: {} }),
  },
];

const weather: McpPool = {
  listTools: async () => ({
    ok: true,
    tools: [
      {
        server: "weather",
        name: "today",
        description: "The weather of today",
        inputSchema: { type: "object", properties: { city: { type: "string" } } },
      },
    ],
  }),
  callTool: async ({ arguments: { city } }) => ({
    ok: true,
    content: [{ type: "text", text: `sunny in ${String(city)}` }],
  }),
  close: async () => {},
};

const PRICE = { input_per_mtok: 3, output_per_mtok: 15, cache_read_per_mtok: 0.3, cache_write_per_mtok: 4 };

let fake: Fake | undefined;
const printed: string[] = [];

beforeEach(() => {
  printed.length = 0;
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, "write").mockImplementation((chunk) => {
      printed.push(String(chunk));
      return true;
    });
  for (const method of ["log", "info", "warn", "error", "debug"] as const)
    vi.spyOn(console, method).mockImplementation((...words) => {
      printed.push(words.join(" "));
    });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await fake?.close();
  fake = undefined;
});

async function play(
  wire: WireUnderTest,
  { answers, request, withFallback, withTool, isAborted }: Case,
): Promise<Outcome> {
  fake = await wire.start({ answers });
  const controller = new AbortController();
  const { attempt, events, waits } = testAttempt({ runtime: wire.runtime(fake), signal: controller.signal });
  const { requests } = fake;
  if (isAborted) void until(() => requests.length).then(() => controller.abort(new Error("cancelled by the user")));
  const pricing = Object.fromEntries(wire.models.map((model) => [model, PRICE]));
  const environment = {
    env: {},
    pricing,
    random: () => 0,
    mcp: withTool ? weather : undefined,
    ...wire.environment(fake),
  };
  const began = Date.now();
  const result = await callModel(
    modelRequest({ provider: wire.provider, models: withFallback ? wire.models : [wire.models[0]], ...request }),
    attempt,
    environment,
  );
  return { result, fake, events, waits, took: Date.now() - began };
}

describe.each(WIRES)("$name", (wire) => {
  test.each(CASES)("$name", async (one) => {
    const outcome = await play(wire, one);
    one.expect(outcome, wire);
    expect(printed).toEqual([]);
  });
});
