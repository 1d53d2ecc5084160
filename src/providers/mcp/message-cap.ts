// The largest size of a message of an MCP server. A message without end would fill the memory before the call's
// timeout.
import { Buffer } from "node:buffer";

export const LARGEST_MESSAGE = 16 * 1024 * 1024;

export class MessageTooLarge extends Error {
  override readonly name = "MessageTooLarge";
  readonly code = "too_large";
  constructor() {
    super(`it sent a message that is larger than ${LARGEST_MESSAGE / 2 ** 20} MiB`);
  }
}

const NEWLINE = 0x0a;

/** Lines out of chunks. Chunks are joined once for each line: joining them as they come takes long for a long line. */
export class LineBuffer {
  #chunks: Buffer[] = [];
  #length = 0;

  *add(chunk: Buffer): Generator<string> {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, end));
      from = end + 1;
      const line = Buffer.concat(this.#chunks).toString("utf8");
      this.#chunks = [];
      this.#length = 0;
      yield line.endsWith("\r") ? line.slice(0, -1) : line;
    }
    this.#keep(chunk.subarray(from));
  }

  #keep(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > LARGEST_MESSAGE) {
      this.#chunks = [];
      throw new MessageTooLarge();
    }
    if (part.length > 0) this.#chunks.push(part);
  }
}

/** Each response, and in a stream of events each line, is one message at most. */
export const cappedFetch =
  (exceeded: (problem: MessageTooLarge) => void): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (!response.body) return response;
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
    let length = 0;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, stream) {
        const last = isStream ? chunk.lastIndexOf(NEWLINE) : -1;
        length = last === -1 ? length + chunk.length : chunk.length - last - 1;
        if (length > LARGEST_MESSAGE) {
          const problem = new MessageTooLarge();
          stream.error(problem);
          exceeded(problem);
        } else stream.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    const capped = new Response(response.body.pipeThrough(counted), { status, statusText, headers });
    Object.defineProperty(capped, "url", { value: response.url });
    return capped;
  };
