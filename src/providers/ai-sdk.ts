// One turn through the AI SDK: messages out, a stream of parts in. Shared by the providers that the SDK speaks for.
// The SDK's own retries and tool loop stay off: ours count, wait on the run's clock and survive a cut stream.
import type { JSONValue, LanguageModel, ModelMessage, ToolSet } from "ai";
import { schemaInstruction, shapeForApi } from "./answer.ts";
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

export async function streamTurn(dialect: Dialect, call: ProviderCall, hooks: Hooks): Promise<Turn> {
  // Its warnings would go to the console; they come as parts of the stream as well, and become events.
  (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
  const { streamText, jsonSchema, Output } = await import("ai");
  const now = call.now ?? Date.now;
  const shaped = call.schema && shapeForApi(call.schema);
  const system = [call.system, shaped && dialect.alsoPromptSchema ? schemaInstruction(shaped.schema) : ""]
    .filter(Boolean)
    .join("\n\n");
  const tools: ToolSet = Object.fromEntries(
    call.tools.map((tool) => [tool.name, { description: tool.description, inputSchema: jsonSchema(tool.inputSchema) }]),
  );

  try {
    const result = streamText({
      model: dialect.model,
      ...(system ? { system } : {}),
      messages: call.messages.flatMap(asModelMessages),
      ...(call.tools.length > 0 ? { tools, toolChoice: call.mayUseTools ? "auto" : "none" } : {}),
      ...(shaped ? { output: Output.object({ schema: jsonSchema(shaped.schema), name: "answer" }) } : {}),
      temperature: call.temperature,
      maxOutputTokens: dialect.maxOutputTokens,
      providerOptions: dialect.providerOptions(shaped?.strict ?? false),
      maxRetries: 0,
      abortSignal: call.signal,
      // The default writes to the console.
      onError: () => {},
    });
    const read = await readParts(result.fullStream as AsyncIterable<Part>, hooks);
    call.signal.throwIfAborted();
    const response = await result.response;
    const limits = reportedLimits(response.headers, now());
    return { ...read, wrapped: shaped?.wrapped ?? false, native: response.messages, limits };
  } catch (error) {
    call.signal.throwIfAborted();
    throw classify(error, now());
  }
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

async function readParts(parts: AsyncIterable<Part>, hooks: Hooks): Promise<Omit<Turn, "wrapped" | "native">> {
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
