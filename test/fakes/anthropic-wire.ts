// Anthropic's Messages API as it looks on the wire: blocks, thinking, tool use, cache tokens, server-sent events.
import { type FakeRequest, pieces, type Spoken } from "./answers.ts";
import type { SseEvent, Wire } from "./server.ts";

type Json = Readonly<Record<string, unknown>>;

/** Tools through which clients ask for JSON when they do not use the API's own output format. */
const JSON_TOOLS: readonly unknown[] = ["json", "StructuredOutput"];

const jsonTool = (body: Json): Json | undefined => list(body.tools).find((tool) => JSON_TOOLS.includes(tool.name));

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);

function blockText(content: unknown): string {
  if (typeof content === "string") return content;
  return list(content)
    .map((block) => {
      if (typeof block.text === "string") return block.text;
      if (block.type === "tool_result") return blockText(block.content);
      return block.type === "tool_use" ? JSON.stringify(block.input) : "";
    })
    .join("\n");
}

interface OutputConfig {
  readonly format?: { readonly schema?: Json };
}

const usesJsonTool = (request: FakeRequest): boolean =>
  jsonTool(request.body) !== undefined && !(request.body.output_config as OutputConfig | undefined)?.format;

/** The content blocks of an answer, complete. */
function blocks(answer: Spoken, request: FakeRequest): readonly Json[] {
  const asTool = answer.isJson && usesJsonTool(request);
  return [
    ...(answer.thinking ? [{ type: "thinking", thinking: answer.thinking, signature: "c2lnbmVk" }] : []),
    ...(answer.refusal ? [{ type: "text", text: answer.refusal }] : []),
    ...(answer.text && !asTool ? [{ type: "text", text: answer.text }] : []),
    ...(asTool
      ? [
          {
            type: "tool_use",
            id: `toolu_json_${request.index}`,
            name: jsonTool(request.body)?.name,
            input: answer.json,
          },
        ]
      : []),
    ...answer.tools.map(({ id, name, input }) => ({ type: "tool_use", id: `toolu_${id}`, name, input })),
  ];
}

function stopReason(answer: Spoken, request: FakeRequest): string {
  if (answer.refusal) return "refusal";
  if (answer.cutAtMaxTokens) return "max_tokens";
  return answer.tools.length > 0 || (answer.isJson && usesJsonTool(request)) ? "tool_use" : "end_turn";
}

const usage = ({ usage: { input, output, cacheRead, cacheWrite } }: Spoken): Json => ({
  input_tokens: input - cacheRead - cacheWrite,
  cache_read_input_tokens: cacheRead,
  cache_creation_input_tokens: cacheWrite,
  output_tokens: output,
});

function blockEvents(block: Json, index: number): readonly SseEvent[] {
  const delta = (data: Json): SseEvent => ({
    event: "content_block_delta",
    data: { type: "content_block_delta", index, delta: data },
  });
  const start = (content_block: Json): SseEvent => ({
    event: "content_block_start",
    data: { type: "content_block_start", index, content_block },
  });
  const stop: SseEvent = { event: "content_block_stop", data: { type: "content_block_stop", index } };
  switch (block.type) {
    case "thinking":
      return [
        start({ type: "thinking", thinking: "", signature: "" }),
        ...pieces(String(block.thinking)).map((thinking) => delta({ type: "thinking_delta", thinking })),
        delta({ type: "signature_delta", signature: block.signature }),
        stop,
      ];
    case "tool_use":
      return [
        start({ ...block, input: {} }),
        ...pieces(JSON.stringify(block.input)).map((partial_json) => delta({ type: "input_json_delta", partial_json })),
        stop,
      ];
    default:
      return [
        start({ type: "text", text: "" }),
        ...pieces(String(block.text)).map((text) => delta({ type: "text_delta", text })),
        stop,
      ];
  }
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};

export const anthropicWire: Wire = {
  paths: /^\/v1\/messages(?:\?|$)/,
  understand(body) {
    const messages = list(body.messages).map((message) => ({
      role: String(message.role),
      text: blockText(message.content),
    }));
    const tools = list(body.tools);
    const format = (body.output_config as OutputConfig | undefined)?.format;
    return {
      model: String(body.model),
      system: blockText(body.system),
      messages,
      prompt: messages.at(-1)?.text ?? "",
      tools: tools
        .filter((tool) => !JSON_TOOLS.includes(tool.name))
        .map((tool) => ({
          name: String(tool.name),
          description: String(tool.description ?? ""),
          schema: tool.input_schema as Json,
        })),
      results: list(body.messages)
        .flatMap((message) => list(message.content))
        .filter((block) => block.type === "tool_result")
        .map((block) => blockText(block.content)),
      schema: format?.schema ?? (jsonTool(body)?.input_schema as Json | undefined),
      stream: body.stream === true,
    };
  },
  whole: (answer, request) => ({
    id: `msg_fake_${request.index}`,
    type: "message",
    role: "assistant",
    model: request.model,
    content: blocks(answer, request),
    stop_reason: stopReason(answer, request),
    stop_sequence: null,
    usage: usage(answer),
  }),
  stream: (answer, request) => [
    {
      event: "message_start",
      data: {
        type: "message_start",
        message: {
          id: `msg_fake_${request.index}`,
          type: "message",
          role: "assistant",
          model: request.model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { ...usage(answer), output_tokens: 1 },
        },
      },
    },
    { event: "ping", data: { type: "ping" } },
    ...blocks(answer, request).flatMap(blockEvents),
    {
      event: "message_delta",
      data: {
        type: "message_delta",
        delta: { stop_reason: stopReason(answer, request), stop_sequence: null },
        usage: { output_tokens: answer.usage.output },
      },
    },
    { event: "message_stop", data: { type: "message_stop" } },
  ],
  error: (status, message, type) => ({
    type: "error",
    error: { type: type ?? ERROR_TYPES[status] ?? "api_error", message },
  }),
  streamError: () => ({
    event: "error",
    data: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
  }),
};
