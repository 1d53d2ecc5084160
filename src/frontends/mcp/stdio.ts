// MCP over stdin and stdout, for the one client that started this process. When it exits, so does this process.
import { PassThrough } from "node:stream";
import { StdioServerTransport, serveStdio as serve } from "@modelcontextprotocol/server/stdio";
import type { Serving } from "./answer.ts";
import { newStateCodec } from "./ask-client.ts";
import { createServer } from "./server.ts";
import { LARGEST_REQUEST, messageReader } from "./stdio-lines.ts";

/** Resolves when the client has gone or `stop` aborts. `end`: no answer waits for a run any longer. */
export async function serveStdio(serving: Serving, stop: AbortSignal, end: () => void): Promise<void> {
  const codec = newStateCodec();
  // The transport drops its answers as soon as its input ends. A client that has said all it wants still reads.
  const input = new PassThrough();
  process.stdin.on(
    "data",
    messageReader({ read: (line) => void input.write(line), answer: (line) => void process.stdout.write(line) }),
  );
  const transport = new StdioServerTransport(input, process.stdout, { maxBufferSize: LARGEST_REQUEST + 1 });
  const server = serve(({ era }) => createServer(serving, era, codec), { transport });
  await new Promise<void>((resolve) => {
    process.stdin.once("end", resolve);
    process.stdin.once("close", resolve);
    process.stdout.once("error", () => resolve());
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
