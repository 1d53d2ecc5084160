// What a fake model can be told to answer, and what it understood of the request. The same for every wire format.

export interface FakeUsage {
  /** All input tokens, cached ones included. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

interface Extras {
  /** Sent as one JSON body, also to who asks for a stream. */
  readonly isWhole?: boolean;
  readonly usage?: Partial<FakeUsage>;
  readonly thinking?: string;
  /** Stopped by max_tokens. */
  readonly cutAtMaxTokens?: boolean;
}

/** A text as its input is a tool call in free form, where the wire has such. */
export interface FakeCall {
  readonly name: string;
  readonly input: unknown;
  /** Of the tool, where it is in one. */
  readonly namespace?: string;
}

export type Answer =
  | string
  | ({ readonly text: string } & Extras)
  /** Sent the way the request asks for structured output. */
  | ({ readonly json: unknown } & Extras)
  | ({ readonly tools: readonly FakeCall[]; readonly text?: string } & Extras)
  | { readonly refusal: string }
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly message?: string;
      readonly type?: string;
    }
  | {
      readonly fault:
        | "cut" // the socket breaks in the middle of the stream
        | "end_early" // the stream ends cleanly, but without its end
        | "stream_error" // an error event in the middle of the stream
        | "slow_headers" // nothing comes until the client gives up, or `ms` have passed
        | "invalid_json" // 200, and a body that is not what it says
        | "page" // 200, and a page of HTML
        | "other_json"; // 200, and JSON that is no answer
      readonly ms?: number;
    };

export interface FakeTool {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** A request as the model would see it. */
export interface FakeRequest {
  /** 0 for the first request that this server got. */
  readonly index: number;
  readonly model: string;
  readonly system: string;
  readonly messages: readonly { readonly role: string; readonly text: string }[];
  /** Text of the last message. */
  readonly prompt: string;
  /** What the tools that were called so far gave, in order. */
  readonly results: readonly string[];
  readonly tools: readonly FakeTool[];
  /** The JSON Schema that the answer must fit, however it was asked for. */
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly stream: boolean;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A queue whose last answer repeats, or a function of the request. */
export type Answers = readonly Answer[] | ((request: FakeRequest) => Answer | Promise<Answer>);

/** An answer that is not a fault, with nothing left open. */
export interface Spoken {
  readonly text: string;
  readonly isJson: boolean;
  readonly json: unknown;
  readonly thinking: string;
  readonly tools: readonly (FakeCall & { readonly id: string })[];
  readonly refusal: string | null;
  readonly cutAtMaxTokens: boolean;
  readonly usage: FakeUsage;
}

const USAGE: FakeUsage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

let calls = 0;

export function spoken(answer: Exclude<Answer, { status: number } | { fault: string }>): Spoken {
  const nothing: Spoken = {
    text: "",
    isJson: false,
    json: undefined,
    thinking: "",
    tools: [],
    refusal: null,
    cutAtMaxTokens: false,
    usage: USAGE,
  };
  if (typeof answer === "string") return { ...nothing, text: answer };
  if ("refusal" in answer) return { ...nothing, refusal: answer.refusal };
  const extras = {
    thinking: answer.thinking ?? "",
    cutAtMaxTokens: answer.cutAtMaxTokens ?? false,
    usage: { ...USAGE, ...answer.usage },
  };
  if ("json" in answer)
    return { ...nothing, ...extras, isJson: true, json: answer.json, text: JSON.stringify(answer.json) };
  if (!("tools" in answer)) return { ...nothing, ...extras, text: answer.text };
  const tools = answer.tools.map((tool) => {
    calls += 1;
    return { ...tool, id: `call_${calls}` };
  });
  return { ...nothing, ...extras, text: answer.text ?? "", tools };
}

/** Pieces of a text, as a stream would bring them. */
export const pieces = (text: string): readonly string[] => text.match(/[\s\S]{1,12}/g) ?? [];
