// MCP over stdin and stdout, for the one client that started this process. When it exits, so does this process.
import { PassThrough } from "node:stream";
import { deserializeMessage, INVALID_REQUEST, PARSE_ERROR } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio as serve } from "@modelcontextprotocol/server/stdio";
import { isMapping } from "../../base/errors/mapping.ts";
import type { Serving } from "./answer.ts";
import { newStateCodec } from "./ask-client.ts";
import { createServer } from "./server.ts";

/** Resolves when the client has gone or `stop` aborts. `end`: no answer waits for a run any longer. */
export async function serveStdio(serving: Serving, stop: AbortSignal, end: () => void): Promise<void> {
  const codec = newStateCodec();
  // The transport drops its answers as soon as its input ends. A client that has said all it wants still reads.
  const input = process.stdin.pipe(new PassThrough(), { end: false });
  process.stdin.on(
    "data",
    noMessageAnswered((line) => void process.stdout.write(line)),
  );
  const transport = new StdioServerTransport(input, process.stdout);
  const server = serve(({ era }) => createServer(serving, era, codec), { transport });
  await new Promise<void>((resolve) => {
    process.stdin.once("end", resolve);
    process.stdin.once("close", resolve);
    process.stdout.once("error", () => resolve());
    // Also for a message that is larger than it takes.
    const closed = transport.onclose;
    transport.onclose = () => {
      closed?.();
      resolve();
    };
    stop.addEventListener("abort", () => resolve(), { once: true });
  });
  // What was piped is read in the next turns of the loop, and what was answered is written in them.
  await turns();
  end();
  await serving.runs.close();
  await Promise.allSettled(serving.answering);
  await turns();
  await server.close();
}

const turns = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** Of what is read: each line that is no message is answered, and what comes after it is read on. */
function noMessageAnswered(send: (line: string) => void): (chunk: Buffer) => void {
  let begun: Buffer[] = [];
  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", from)) {
      const line = Buffer.concat([...begun, chunk.subarray(from, end)]).toString("utf8");
      begun = [];
      from = end + 1;
      const problem = problemWith(line);
      if (problem) send(`${JSON.stringify({ jsonrpc: "2.0", ...problem })}\n`);
    }
    begun.push(chunk.subarray(from));
  };
}

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

/** Why the transport drops a line, as it reads it. Nothing is said of an empty line. */
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
