// One turn through the AI SDK: messages out, a stream of parts in. Shared by the providers that the SDK speaks for.
// The SDK's own retries and tool loop stay off: ours count, wait on the run's clock and survive a cut stream.
import type { JSONValue, LanguageModel, ModelMessage, ToolSet } from "ai";
import { schemaInstruction, shapeForApi } from "./answer.ts";
import { AnswerReader } from "./answer-reader.ts";
import { classify, reportedLimits } from "./classify.ts";
import { ProviderFailure } from "./failure.ts";
import type { Effort, Hooks, Message, ProviderCall, TokenCounts, ToolCall, Turn } from "./provider.ts";
import { NO_TOKENS } from "./tokens.ts";

export interface Dialect {
  readonly model: LanguageModel;
  readonly maxOutputTokens?: number;
  readonly providerOptions: (strict: boolean) => Record<string, Record<string, JSONValue>>;
  /** Say the schema in the prompt too: the server may ignore it. */
  readonly alsoPromptSchema?: boolean;
}

/** What thinking may take beside the answer. */
export const THINKING_TOKENS: Readonly<Record<Effort, number>> = {
  low: 2048,
  medium: 8192,
  high: 16384,
  xhigh: 32768,
  max: 59904,
};

/** Says how a server is spoken to, given the call with the `fetch` that it is to use. */
type DialectFor = (call: ProviderCall) => Dialect | Promise<Dialect>;

export async function streamTurn(dialectFor: DialectFor, call: ProviderCall, hooks: Hooks): Promise<Turn> {
  // Its warnings would go to the console; they come as parts of the stream as well, and become events.
  (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
  const { generateText, streamText, jsonSchema, Output } = await import("ai");
  const reader = new AnswerReader(call.fetch);
  const dialect = await dialectFor({ ...call, fetch: reader.fetch });
  const now = call.now ?? Date.now;
  const shaped = call.schema && shapeForApi(call.schema);
  const system = [call.system, shaped && dialect.alsoPromptSchema ? schemaInstruction(shaped.schema) : ""]
    .filter(Boolean)
    .join("\n\n");
  const tools: ToolSet = Object.fromEntries(
    call.tools.map((tool) => [tool.name, { description: tool.description, inputSchema: jsonSchema(tool.inputSchema) }]),
  );

  const asked = {
    model: dialect.model,
    ...(system ? { system } : {}),
    messages: call.messages.flatMap(asModelMessages),
    ...(call.tools.length > 0 ? { tools, toolChoice: call.mayUseTools ? ("auto" as const) : ("none" as const) } : {}),
    temperature: call.temperature,
    maxOutputTokens: dialect.maxOutputTokens,
    providerOptions: dialect.providerOptions(shaped?.strict ?? false),
    maxRetries: 0,
    abortSignal: call.signal,
  };
  const output = shaped && { output: Output.object({ schema: jsonSchema(shaped.schema), name: "answer" }) };
  const turnOf = (read: ReadTurn, { messages: native, headers }: Responded): Turn => {
    call.signal.throwIfAborted();
    return { ...read, wrapped: shaped?.wrapped ?? false, native, limits: reportedLimits(headers, now()) };
  };

  let hasSaid = false;
  const said = (tell: (chunk: string) => void) => (chunk: string) => {
    hasSaid = true;
    tell(chunk);
  };
  const listening = { ...hooks, text: said(hooks.text), reasoning: said(hooks.reasoning) };

  try {
    // The default of `onError` writes to the console.
    const result = streamText({ ...asked, ...output, onError: () => {} });
    const read = await readParts(result.fullStream as AsyncIterable<Part>, listening);
    return turnOf(read, await result.response);
  } catch (error) {
    call.signal.throwIfAborted();
    if (!reader.isWhole) throw (hasSaid ? undefined : reader.unreadable) ?? classify(error, now());
  }
  try {
    // Its fetch sends nothing. Whether the answer fits its schema is looked at later, as for a stream.
    const result = await generateText(asked);
    return turnOf(await readParts(partsOf(result as WholeResult), hooks), result.response);
  } catch (error) {
    call.signal.throwIfAborted();
    const failure = classify(error, now());
    // An error of the API's own is known by its type.
    throw failure.status === null && !failure.used ? (reader.unreadable ?? failure) : failure;
  }
}

interface Responded {
  readonly messages: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type ReadTurn = Omit<Turn, "wrapped" | "native" | "limits">;

/** What we look at of an answer that came as a whole. */
interface WholeResult extends Omit<Extract<Part, { type: "finish-step" }>, "type"> {
  readonly text: string;
  readonly reasoningText?: string;
  readonly toolCalls: readonly Omit<Extract<Part, { type: "tool-call" }>, "type">[];
  readonly warnings?: Extract<Part, { type: "start-step" }>["warnings"];
}

async function* partsOf(result: WholeResult): AsyncIterable<Part> {
  yield { type: "start-step", warnings: result.warnings ?? [] };
  if (result.reasoningText) yield { type: "reasoning-delta", text: result.reasoningText };
  if (result.text) yield { type: "text-delta", text: result.text };
  for (const call of result.toolCalls) yield { ...call, type: "tool-call" };
  const { finishReason, rawFinishReason, usage, response } = result;
  // It has an end, whether or not the server says why it ended there.
  yield { type: "finish-step", finishReason, rawFinishReason: rawFinishReason ?? finishReason, usage, response };
}

/** The parts we look at; the SDK's own type is generic over tools that are only known at run time. */
type Part =
  | { readonly type: "text-delta" | "reasoning-delta"; readonly text: string }
  | {
      readonly type: "tool-call";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: unknown;
      readonly invalid?: boolean;
    }
  | {
      readonly type: "start-step";
      readonly warnings: readonly { readonly feature?: string; readonly details?: string; readonly message?: string }[];
    }
  | {
      readonly type: "finish-step";
      readonly finishReason: string;
      readonly rawFinishReason: string | undefined;
      readonly usage: SdkUsage;
      readonly response: { readonly modelId?: string };
    }
  | { readonly type: "error"; readonly error: unknown }
  | { readonly type: "abort" };

interface SdkUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly inputTokenDetails?: { readonly cacheReadTokens?: number; readonly cacheWriteTokens?: number };
  readonly outputTokenDetails?: { readonly reasoningTokens?: number };
}

async function readParts(parts: AsyncIterable<Part>, hooks: Hooks): Promise<ReadTurn> {
  let text = "";
  const calls: ToolCall[] = [];
  let goesOn = false;
  let finish: Extract<Part, { type: "finish-step" }> | undefined;

  for await (const part of parts) {
    switch (part.type) {
      case "text-delta":
        text += part.text;
        hooks.text(part.text);
        break;
      case "reasoning-delta":
        hooks.reasoning(part.text);
        break;
      case "tool-call":
        // A malformed call has been answered by the SDK with the reason; the model only has to be asked again.
        if (part.invalid) goesOn = true;
        else calls.push({ id: part.toolCallId, name: part.toolName, input: part.input });
        break;
      case "start-step":
        for (const { feature, details, message } of part.warnings)
          hooks.warn(details ?? message ?? `${feature} is not supported`);
        break;
      case "finish-step":
        finish = part;
        break;
      case "error":
        // The loop would end as if all were well.
        throw part.error;
      default:
        break;
    }
  }

  // A connection that closes early without an error looks like an end; only a real end has a reason.
  if (!finish || (finish.finishReason === "other" && finish.rawFinishReason === undefined))
    throw new ProviderFailure("transient", "the answer was cut off before its end");
  const { usage, response } = finish;
  const used = { tokens: tokensOf(usage), model: response.modelId };
  if (finish.finishReason === "error")
    throw new ProviderFailure("transient", "the answer ended in an error", null, null, used);
  if (finish.finishReason === "content-filter") {
    const said = text ? `the model refused: ${text}` : "the model refused to answer (content policy)";
    throw new ProviderFailure("rejected", said, null, null, used);
  }
  return { text, calls, goesOn, ...used, cutAtMaxTokens: finish.finishReason === "length" };
}

const tokensOf = (usage: SdkUsage): TokenCounts => ({
  ...NO_TOKENS,
  input: usage.inputTokens ?? 0,
  output: usage.outputTokens ?? 0,
  cacheRead: usage.inputTokenDetails?.cacheReadTokens ?? 0,
  cacheWrite: usage.inputTokenDetails?.cacheWriteTokens ?? 0,
  reasoning: usage.outputTokenDetails?.reasoningTokens ?? 0,
});

function asModelMessages(message: Message): ModelMessage[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: message.text }];
    case "assistant":
      if (Array.isArray(message.native)) return message.native as ModelMessage[];
      return [{ role: "assistant", content: message.text }];
    case "tool":
      return [
        {
          role: "tool",
          content: message.replies.map((reply) => ({
            type: "tool-result",
            toolCallId: reply.id,
            toolName: reply.name,
            output: { type: reply.failed ? "error-text" : "text", value: reply.text },
          })),
        },
      ];
    default: {
      const never: never = message;
      return never;
    }
  }
}
