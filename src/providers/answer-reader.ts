// What a server sends that was asked for a stream: a stream, the whole answer as one JSON body although a stream was asked
// for, or something else, as when a proxy answers with a page.
import { ProviderFailure } from "./failure.ts";

const STREAM = "text/event-stream";

/** One call of a model. Its `fetch` is what the SDK calls. */
export class AnswerReader {
  /** Of an answer with a good status that is no stream. */
  #otherType: string | undefined;
  #whole: { readonly body: string; readonly init: ResponseInit } | undefined;

  constructor(private readonly send: typeof fetch = fetch) {}

  /** The server ignored that a stream was asked for: `fetch` gives its answer again, to be read as a whole. */
  get isWhole(): boolean {
    return this.#whole !== undefined;
  }

  readonly fetch: typeof fetch = async (input, init) => {
    if (this.#whole) return new Response(this.#whole.body, this.#whole.init);
    const response = await this.send(input, init);
    const { status, statusText, headers } = response;
    const type = headers.get("content-type") ?? "";
    if (!response.ok || !response.body || type.includes(STREAM)) return response;
    this.#otherType = type;
    const started = await untilText(response.body.getReader());
    if (!started.text.trimStart().startsWith("{")) return new Response(started.rest(), { status, statusText, headers });
    const body = await new Response(started.rest()).text();
    this.#whole = { body, init: { status, statusText, headers } };
    throw new ProviderFailure("transient", "the server sent one JSON body in place of a stream");
  };

  /** For an answer that could not be read. Undefined if it was a stream, which may only have been cut off, or an error. */
  get unreadable(): ProviderFailure | undefined {
    if (this.#otherType === undefined) return undefined;
    const sent = this.#otherType === "" ? "an answer without a content type" : this.#otherType;
    return new ProviderFailure(
      "unavailable",
      `the server sent ${sent} that is no answer of a model; a stream of events (${STREAM}) or one answer as application/json was expected. Check base_url`,
    );
  }
}

/** Reads up to the first character that is no blank. */
async function untilText(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<{ readonly text: string; rest(): ReadableStream<Uint8Array> }> {
  const chunks: Uint8Array[] = [];
  const decoder = new TextDecoder();
  let text = "";
  let isDone = false;
  while (!isDone && text.trim() === "") {
    const { done, value } = await reader.read();
    isDone = done;
    if (value) chunks.push(value);
    text += decoder.decode(value, { stream: true });
  }
  return {
    text,
    rest: () =>
      new ReadableStream({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(chunk);
          if (isDone) controller.close();
        },
        async pull(controller) {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: (reason) => reader.cancel(reason),
      }),
  };
}
