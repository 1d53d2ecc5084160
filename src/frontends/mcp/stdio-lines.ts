// Lines of stdin as messages. A line that is no message, or too large, is answered, and the lines after it are read.
import { deserializeMessage, INVALID_REQUEST, PARSE_ERROR } from "@modelcontextprotocol/server";
import { isMapping } from "../../base/errors/mapping.ts";

export const LARGEST_REQUEST = 10 * 1024 * 1024;
/** Of a larger message: its first and its last bytes, where its id stands. */
const KEPT = 300;

interface Lines {
  /** A message, with the end of its line. */
  read(line: Buffer): void;
  /** The answer to a line that is no message, or too large. */
  answer(line: string): void;
}

export function messageReader({ read, answer }: Lines): (chunk: Buffer) => void {
  let begun = new BegunLine();
  const end = (): void => {
    const problem = begun.isTooLarge ? tooLarge(begun) : problemWith(begun.text());
    if (problem) answer(`${JSON.stringify({ jsonrpc: "2.0", ...problem })}\n`);
    else read(begun.line());
    begun = new BegunLine();
  };
  return (chunk) => {
    let from = 0;
    for (let at = chunk.indexOf("\n"); at >= 0; at = chunk.indexOf("\n", from)) {
      begun.add(chunk.subarray(from, at));
      from = at + 1;
      end();
    }
    begun.add(chunk.subarray(from));
  };
}

/** What has come of a line. Of one that is too large only both ends are kept, so that the process does not grow with it. */
class BegunLine {
  size = 0;
  #parts: Buffer[] = [];
  #head = "";
  #tail = "";

  get isTooLarge(): boolean {
    return this.size > LARGEST_REQUEST;
  }

  add(part: Buffer): void {
    this.size += part.length;
    this.#parts.push(part);
    if (!this.isTooLarge) return;
    const kept = Buffer.concat(this.#parts.map((one) => (one.length > 2 * KEPT ? endsOf(one) : one)));
    this.#parts = [];
    if (this.#head === "") this.#head = kept.toString("latin1", 0, KEPT);
    this.#tail = (this.#tail + kept.toString("latin1")).slice(-KEPT);
  }

  text(): string {
    return Buffer.concat(this.#parts).toString("utf8");
  }

  line(): Buffer {
    return Buffer.concat([...this.#parts, Buffer.from("\n")]);
  }

  /** Of the message itself, not of something in its `params`. */
  id(): Problem["id"] {
    const value = '("[^"\\\\]{1,100}"|\\d{1,15})';
    // Before the first object inside, which is `params`.
    const first = new RegExp(`^\\s*\\{[^{]*?"id"\\s*:\\s*${value}`).exec(this.#head);
    const last = new RegExp(`"id"\\s*:\\s*${value}\\s*(?:,\\s*"(?:jsonrpc|method)"\\s*:\\s*"[^"]*"\\s*)*\\}\\s*$`).exec(
      this.#tail,
    );
    const found = first?.[1] ?? last?.[1];
    return found === undefined ? null : (JSON.parse(found) as string | number);
  }
}

const endsOf = (part: Buffer): Buffer => Buffer.concat([part.subarray(0, KEPT), part.subarray(-KEPT)]);

const tooLarge = (line: BegunLine): Problem => ({
  id: line.id(),
  error: {
    code: INVALID_REQUEST,
    message: `this message has ${line.size} bytes, and at most ${LARGEST_REQUEST} are read. Write what is large to a file below the root, and give the workflow its name`,
  },
});

interface Problem {
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

const NO_JSON: Problem = {
  id: null,
  error: { code: PARSE_ERROR, message: "this line is no JSON: a message is one line, and the whole line is JSON" },
};

const NO_MESSAGE =
  'not a valid message: it must be an object with `jsonrpc: "2.0"` and a `method`. `id` is text or a whole number, `params` is an object';

/** Why a line is not read. Nothing is said of an empty line, which the transport drops. */
function problemWith(line: string): Problem | undefined {
  if (line.trim() === "") return undefined;
  try {
    deserializeMessage(line);
    return undefined;
  } catch (problem) {
    if (problem instanceof SyntaxError) return NO_JSON;
    return { id: idOf(JSON.parse(line)), error: { code: INVALID_REQUEST, message: NO_MESSAGE } };
  }
}

/** An answer has the id of a request of ours, which may also be that of another one of the client's. */
function idOf(message: unknown): Problem["id"] {
  if (!isMapping(message) || "result" in message || "error" in message) return null;
  return typeof message.id === "string" || Number.isInteger(message.id) ? (message.id as string | number) : null;
}
