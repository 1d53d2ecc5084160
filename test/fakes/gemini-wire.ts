// Google's Gemini API as it looks on the wire. Whether an answer is streamed is said by the address.
import { pieces, type Spoken } from "./answers.ts";
import type { SseEvent, Wire } from "./server.ts";

type Json = Readonly<Record<string, unknown>>;

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);
const partsOf = (content: unknown): readonly Json[] => list((content as Json | undefined)?.parts);
const textOf = (content: unknown): string =>
  partsOf(content)
    .map(({ text }) => String(text ?? ""))
    .join("");

const chunk = (parts: readonly Json[], answer: Spoken, isLast: boolean): Json => ({
  candidates: [{ index: 0, content: { role: "model", parts }, ...(isLast ? { finishReason: "STOP" } : {}) }],
  usageMetadata: {
    promptTokenCount: answer.usage.input,
    candidatesTokenCount: answer.usage.output,
    totalTokenCount: answer.usage.input + answer.usage.output,
  },
  modelVersion: "fake",
});

const callsOf = (answer: Spoken): Json[] =>
  answer.tools.map(({ name, input }) => ({ functionCall: { name, args: input } }));

const wire = (paths: RegExp, stream: boolean): Wire => ({
  paths,
  understand(body) {
    const contents = list(body.contents);
    const messages = contents.map((content) => ({ role: String(content.role), text: textOf(content) }));
    const config = (body.generationConfig ?? {}) as Json;
    return {
      model: "gemini",
      system: textOf(body.systemInstruction),
      messages,
      prompt: messages.at(-1)?.text ?? "",
      tools: list(body.tools)
        .flatMap(({ functionDeclarations }) => list(functionDeclarations))
        .map(({ name, description, parametersJsonSchema }) => ({
          name: String(name),
          description: String(description ?? ""),
          schema: (parametersJsonSchema ?? {}) as Json,
        })),
      results: contents
        .flatMap(partsOf)
        .flatMap(({ functionResponse }) => (functionResponse ? [JSON.stringify(functionResponse)] : [])),
      schema: (config.responseJsonSchema ?? config.responseSchema) as Json | undefined,
      stream,
    };
  },
  whole: (answer) => chunk([...(answer.text ? [{ text: answer.text }] : []), ...callsOf(answer)], answer, true),
  stream: (answer): SseEvent[] => [
    ...pieces(answer.text).map((text) => ({ data: chunk([{ text }], answer, false) })),
    { data: chunk(callsOf(answer), answer, true) },
  ],
  error: (code, message, status) => ({ error: { code, message, status: status ?? "UNAVAILABLE" } }),
  streamError: () => ({ data: { error: { code: 500, message: "The server had an error", status: "INTERNAL" } } }),
});

export const geminiWires: readonly Wire[] = [wire(/:streamGenerateContent/, true), wire(/:generateContent/, false)];
