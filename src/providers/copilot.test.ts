// The Copilot provider against a stand-in with the SDK's documented interface; the SDK itself needs a subscription.
import { describe, expect, test } from "vitest";
import { type CopilotSdk, copilotProvider } from "./copilot.ts";
import { callModel } from "./model-call.ts";
import type { Provider } from "./provider.ts";
import { modelRequest, testAttempt } from "./testing.ts";

type Event = { readonly type: string; readonly data?: Record<string, unknown> };
type Config = Readonly<Record<string, unknown>>;

/** `whenAsked` stands in for an answer that never comes. */
function standIn(events: readonly Event[], whenAsked?: () => void) {
  const seen: { config?: Config; options?: Config; prompt?: string; aborted?: boolean; stopped?: boolean } = {};
  const sdk: CopilotSdk = {
    approveAll: "approve",
    CopilotClient: class {
      constructor(options: Config) {
        seen.options = options;
      }
      async start() {}
      async stop() {
        seen.stopped = true;
      }
      async createSession(config: Config) {
        seen.config = config;
        let listener: (event: Event) => void = () => {};
        return {
          on: (handler: (event: Event) => void) => {
            listener = handler;
            return () => {};
          },
          send: async ({ prompt }: { prompt: string }) => {
            seen.prompt = prompt;
            for (const event of events) listener(event);
            whenAsked?.();
          },
          abort: async () => {
            seen.aborted = true;
          },
          disconnect: async () => {},
        };
      }
    },
  };
  return { seen, provider: copilotProvider(async () => sdk) };
}

const ask = (provider: Provider, request = {}, signal?: AbortSignal) => {
  const { attempt, events } = testAttempt(signal ? { signal } : {});
  const environment = { env: {}, providers: { copilot: provider }, random: () => 0 };
  return {
    events,
    result: callModel(modelRequest({ provider: "copilot", models: ["gpt-5.2"], ...request }), attempt, environment),
  };
};

describe("copilot", () => {
  test("streams, answers and counts", async () => {
    const { provider, seen } = standIn([
      { type: "assistant.reasoning_delta", data: { deltaContent: "Hm." } },
      { type: "assistant.message_delta", data: { deltaContent: '{"a": 1}' } },
      { type: "assistant.usage", data: { model: "gpt-5.2", inputTokens: 10, outputTokens: 3, cacheReadTokens: 2 } },
      { type: "assistant.message", data: { content: '{"a": 1}' } },
      { type: "session.idle" },
    ]);
    const { result, events } = ask(provider, {
      system: "Be brief.",
      schema: { type: "object" },
      options: { reasoning_effort: "high" },
    });
    expect(await result).toMatchObject({
      ok: true,
      content: { a: 1 },
      usage: { input_tokens: 10, cache_read_tokens: 2 },
    });
    expect(events.map((event) => event.type)).toEqual(["agent_turn_start", "agent_reasoning", "agent_message"]);
    expect(seen.config).toMatchObject({
      model: "gpt-5.2",
      reasoningEffort: "high",
      streaming: true,
      onPermissionRequest: "approve",
    });
    expect(JSON.stringify(seen.config?.systemMessage)).toContain("JSON Schema");
    expect(seen.stopped).toBe(true);
  });

  test("is tried again when its session fails", async () => {
    const { provider } = standIn([{ type: "session.error", data: { message: "lost the connection" } }]);
    expect(await ask(provider).result).toMatchObject({
      ok: false,
      error: { kind: "provider.exhausted", details: { attempts: 4, last_error: "lost the connection" } },
    });
  });

  test("stops its session when the step is aborted", async () => {
    const controller = new AbortController();
    const { provider, seen } = standIn([], () => controller.abort());
    expect((await ask(provider, {}, controller.signal).result).ok).toBe(false);
    expect(seen).toMatchObject({ aborted: true, stopped: true });
  });

  test("says what to install when it is not there", async () => {
    const { attempt } = testAttempt();
    const result = await callModel(modelRequest({ provider: "copilot", models: [] }), attempt, { env: {} });
    expect(result).toMatchObject({ ok: false, error: { kind: "provider.rejected", details: { provider: "copilot" } } });
    expect(!result.ok && result.error.message).toMatch(/npm install @github\/copilot-sdk.*--provider anthropic/);
  });

  test("is cut off when it does not stop to talk", async () => {
    const chatter = { type: "assistant.message_delta", data: { deltaContent: "word ".repeat(200_000) } };
    const { provider, seen } = standIn(Array.from({ length: 9 }, () => chatter));
    const result = await ask(provider).result;
    expect(result).toMatchObject({ ok: false, error: { kind: "provider.exhausted", details: { attempts: 1 } } });
    expect(!result.ok && result.error.message).toMatch(/million characters of text came/);
    expect(seen).toMatchObject({ aborted: true, stopped: true });
  });
});
