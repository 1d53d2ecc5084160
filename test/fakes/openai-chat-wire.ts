// OpenAI's Chat Completions as they look on the wire, which is also what Ollama, vLLM, LM Studio and Azure speak.
import { pieces, type Spoken } from "./answers.ts";
import type { SseEvent, Wire } from "./server.ts";

type Json = Readonly<Record<string, unknown>>;

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return list(content)
    .map((part) => String(part.text ?? ""))
    .join("\n");
}

function finishReason(answer: Spoken): string {
  if (answer.refusal) return "content_filter";
  if (answer.cutAtMaxTokens) return "length";
  return answer.tools.length > 0 ? "tool_calls" : "stop";
}

const usage = ({ usage: { input, output, cacheRead, reasoning } }: Spoken): Json => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cacheRead },
  completion_tokens_details: { reasoning_tokens: reasoning },
});

export const openAiChatWire: Wire = {
  paths: /\/chat\/completions(?:\?|$)/,
  understand(body) {
    const all = list(body.messages).map((message) => ({
      role: String(message.role),
      text: contentText(message.content),
    }));
    const isSystem = (role: string) => role === "system" || role === "developer";
    const messages = all.filter(({ role }) => !isSystem(role));
    const format = body.response_format as { readonly json_schema?: { readonly schema?: Json } } | undefined;
    return {
      model: String(body.model),
      system: all
        .filter(({ role }) => isSystem(role))
        .map(({ text }) => text)
        .join("\n"),
      messages,
      prompt: messages.at(-1)?.text ?? "",
      tools: list(body.tools).map(({ function: tool }) => {
        const { name, description, parameters } = tool as Json;
        return { name: String(name), description: String(description ?? ""), schema: parameters as Json };
      }),
      results: messages.filter(({ role }) => role === "tool").map(({ text }) => text),
      schema: format?.json_schema?.schema,
      stream: body.stream === true,
    };
  },
  whole: (answer, request) => ({
    id: "chatcmpl-fake",
    object: "chat.completion",
    created: 1_700_000_000,
    model: request.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: answer.text || null,
          ...(answer.refusal ? { refusal: answer.refusal } : {}),
          ...(answer.thinking ? { reasoning_content: answer.thinking } : {}),
          ...(answer.tools.length > 0
            ? {
                tool_calls: answer.tools.map(({ id, name, input }) => ({
                  id,
                  type: "function",
                  function: { name, arguments: JSON.stringify(input) },
                })),
              }
            : {}),
        },
        finish_reason: finishReason(answer),
      },
    ],
    usage: usage(answer),
  }),
  stream(answer, request) {
    const chunk = (delta: Json, finish_reason: string | null = null): SseEvent => ({
      data: {
        id: "chatcmpl-fake",
        object: "chat.completion.chunk",
        created: 1_700_000_000,
        model: request.model,
        choices: [{ index: 0, delta, finish_reason }],
      },
    });
    return [
      chunk({ role: "assistant", content: "" }),
      ...pieces(answer.thinking).map((reasoning_content) => chunk({ reasoning_content })),
      ...pieces(answer.text).map((content) => chunk({ content })),
      ...pieces(answer.refusal ?? "").map((refusal) => chunk({ refusal })),
      ...answer.tools.flatMap(({ id, name, input }, index) => [
        chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
        ...pieces(JSON.stringify(input)).map((part) =>
          chunk({ tool_calls: [{ index, function: { arguments: part } }] }),
        ),
      ]),
      chunk({}, finishReason(answer)),
      {
        data: {
          id: "chatcmpl-fake",
          object: "chat.completion.chunk",
          created: 1_700_000_000,
          model: request.model,
          choices: [],
          usage: usage(answer),
        },
      },
    ];
  },
  error: (status, message, type) => ({
    error: {
      message,
      type: type ?? (status >= 500 ? "server_error" : "invalid_request_error"),
      code: type ?? null,
      param: null,
    },
  }),
  streamError: () => ({
    data: { error: { message: "The server had an error", type: "server_error", code: null, param: null } },
  }),
  lastLine: "data: [DONE]\n\n",
};
