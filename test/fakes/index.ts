// Fake model servers for tests: real HTTP, real wire formats, answers and faults on demand.
//
//   const fake = await startAnthropicFake({ answers: ["Hello", { status: 529 }, { json: { title: "x" } }] });
//   … ANTHROPIC_BASE_URL: fake.url …
//   fake.requests[0].prompt; await fake.close();
import { anthropicWire } from "./anthropic-wire.ts";
import { geminiWires } from "./gemini-wire.ts";
import { openAiChatWire } from "./openai-chat-wire.ts";
import { openAiResponsesWire } from "./openai-responses-wire.ts";
import { type Fake, type FakeOptions, startFake } from "./server.ts";

export { answerForSchema } from "./answer-for-schema.ts";
export type { Answer, Answers, FakeCall, FakeRequest, FakeTool, FakeUsage } from "./answers.ts";
export type { Fake, FakeOptions } from "./server.ts";

/** Base URL: `fake.url`. */
export const startAnthropicFake = (options: FakeOptions): Promise<Fake> => startFake([anthropicWire], options);

/** Every wire at once, for agents that bring their own client. */
export const startAgentFake = (options: FakeOptions): Promise<Fake> =>
  startFake([anthropicWire, openAiChatWire, openAiResponsesWire, ...geminiWires], options);

/** Chat Completions and Responses. Base URL: `${fake.url}/v1`. */
export const startOpenAiFake = (options: FakeOptions): Promise<Fake> =>
  startFake([openAiChatWire, openAiResponsesWire], options);
