// OpenAI's Responses API as it looks on the wire: items, parts, one numbered event after the other.
import { pieces, type Spoken } from "./answers.ts";
import type { SseEvent, Wire } from "./server.ts";

type Json = Readonly<Record<string, unknown>>;

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);

const isResult = (item: Json): boolean => /_call_output$/.test(String(item.type ?? ""));

function itemText(item: Json): string {
  if (isResult(item)) return typeof item.output === "string" ? item.output : JSON.stringify(item.output);
  if (item.type === "function_call") return String(item.arguments);
  if (typeof item.content === "string") return item.content;
  return list(item.content)
    .map((part) => String(part.text ?? ""))
    .join("\n");
}

const roleOf = (item: Json): string =>
  isResult(item) ? "tool" : item.type === "function_call" ? "assistant" : String(item.role);

const usage = ({ usage: { input, output, cacheRead, reasoning } }: Spoken): Json => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cacheRead },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
});

interface Item {
  readonly item: Json;
  /** The events between the item's beginning and its end. */
  readonly between: (place: { readonly output_index: number; readonly item_id: string }) => readonly Json[];
  /** The item at its beginning. */
  readonly empty: Json;
}

function items(answer: Spoken): readonly Item[] {
  const all: Item[] = [];
  if (answer.thinking) {
    const base = { type: "reasoning", id: "rs_fake", encrypted_content: "c2VhbGVk" };
    all.push({
      item: { ...base, summary: [{ type: "summary_text", text: answer.thinking }] },
      empty: { ...base, summary: [] },
      between: (place) => [
        {
          type: "response.reasoning_summary_part.added",
          ...place,
          summary_index: 0,
          part: { type: "summary_text", text: "" },
        },
        ...pieces(answer.thinking).map((delta) => ({
          type: "response.reasoning_summary_text.delta",
          ...place,
          summary_index: 0,
          delta,
        })),
        {
          type: "response.reasoning_summary_part.done",
          ...place,
          summary_index: 0,
          part: { type: "summary_text", text: answer.thinking },
        },
      ],
    });
  }
  if (answer.text || answer.refusal) {
    const part = answer.refusal
      ? { type: "refusal", refusal: answer.refusal }
      : { type: "output_text", text: answer.text, annotations: [], logprobs: [] };
    const base = { type: "message", id: "msg_fake", role: "assistant" };
    const kind = answer.refusal ? "refusal" : "output_text";
    all.push({
      item: { ...base, status: "completed", content: [part] },
      empty: { ...base, status: "in_progress", content: [] },
      between: (place) => [
        {
          type: "response.content_part.added",
          ...place,
          content_index: 0,
          part: answer.refusal ? { type: kind, refusal: "" } : { ...part, text: "" },
        },
        ...pieces(answer.refusal ?? answer.text).map((delta) => ({
          type: `response.${kind}.delta`,
          ...place,
          content_index: 0,
          delta,
          logprobs: [],
        })),
        {
          type: `response.${kind}.done`,
          ...place,
          content_index: 0,
          [answer.refusal ? "refusal" : "text"]: answer.refusal ?? answer.text,
          logprobs: [],
        },
        { type: "response.content_part.done", ...place, content_index: 0, part },
      ],
    });
  }
  for (const { id, name, input, namespace } of answer.tools) {
    const of = { call_id: id, name, ...(namespace ? { namespace } : {}) };
    if (typeof input === "string") {
      const base = { type: "custom_tool_call", id: `ctc_${id}`, ...of };
      all.push({
        item: { ...base, input, status: "completed" },
        empty: { ...base, input: "", status: "in_progress" },
        between: (place) => [
          ...pieces(input).map((delta) => ({ type: "response.custom_tool_call_input.delta", ...place, delta })),
          { type: "response.custom_tool_call_input.done", ...place, input },
        ],
      });
      continue;
    }
    const base = { type: "function_call", id: `fc_${id}`, ...of };
    const text = JSON.stringify(input);
    all.push({
      item: { ...base, arguments: text, status: "completed" },
      empty: { ...base, arguments: "", status: "in_progress" },
      between: (place) => [
        ...pieces(text).map((delta) => ({ type: "response.function_call_arguments.delta", ...place, delta })),
        { type: "response.function_call_arguments.done", ...place, name, arguments: text },
      ],
    });
  }
  return all;
}

function responseObject(answer: Spoken, model: string, done: boolean): Json {
  return {
    id: "resp_fake",
    object: "response",
    created_at: 1_700_000_000,
    model,
    status: !done ? "in_progress" : answer.cutAtMaxTokens ? "incomplete" : "completed",
    error: null,
    incomplete_details: done && answer.cutAtMaxTokens ? { reason: "max_output_tokens" } : null,
    output: done ? items(answer).map(({ item }) => item) : [],
    usage: done ? usage(answer) : null,
  };
}

export const openAiResponsesWire: Wire = {
  paths: /\/responses(?:\?|$)/,
  understand(body) {
    const input = typeof body.input === "string" ? [{ role: "user", content: body.input }] : list(body.input);
    const isSystem = (item: Json) => item.role === "system" || item.role === "developer";
    const messages = input
      .filter((item) => !isSystem(item) && item.type !== "reasoning")
      .map((item) => ({ role: roleOf(item), text: itemText(item) }));
    const text = body.text as { readonly format?: { readonly schema?: Json } } | undefined;
    return {
      model: String(body.model),
      system: [String(body.instructions ?? ""), ...input.filter(isSystem).map(itemText)].filter(Boolean).join("\n"),
      messages,
      prompt: messages.at(-1)?.text ?? "",
      tools: list(body.tools).map(({ name, description, parameters }) => ({
        name: String(name),
        description: String(description ?? ""),
        schema: parameters as Json,
      })),
      results: input.filter(isResult).map(itemText),
      schema: text?.format?.schema,
      stream: body.stream === true,
    };
  },
  whole: (answer, request) => responseObject(answer, request.model, true),
  stream(answer, request) {
    const events: Json[] = [
      { type: "response.created", response: responseObject(answer, request.model, false) },
      { type: "response.in_progress", response: responseObject(answer, request.model, false) },
      ...items(answer).flatMap(({ item, empty, between }, output_index) => [
        { type: "response.output_item.added", output_index, item: empty },
        ...between({ output_index, item_id: String(item.id) }),
        { type: "response.output_item.done", output_index, item },
      ]),
      {
        type: answer.cutAtMaxTokens ? "response.incomplete" : "response.completed",
        response: responseObject(answer, request.model, true),
      },
    ];
    return events.map(
      (data, sequence_number): SseEvent => ({ event: String(data.type), data: { ...data, sequence_number } }),
    );
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
    event: "error",
    data: {
      type: "error",
      sequence_number: 99,
      error: { type: "server_error", code: "server_error", message: "The server had an error", param: null },
    },
  }),
};
