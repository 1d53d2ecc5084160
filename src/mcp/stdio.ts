// Over stdin and stdout: one client, the process that started us. When it goes, we go.
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createServer } from "./server.ts";
import type { Serving } from "./session.ts";

/** Resolves when the client has gone or `stop` aborts. */
export async function serveStdio(serving: Serving, stop: AbortSignal): Promise<void> {
  const server = createServer(serving);
  const gone = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
    // The SDK's transport does not tell that stdin ended.
    process.stdin.once("end", resolve);
    process.stdin.once("close", resolve);
    process.stdout.once("error", () => resolve());
    stop.addEventListener("abort", () => resolve(), { once: true });
  });
  await server.connect(new StdioServerTransport());
  await gone;
  await serving.runs.close();
  await Promise.allSettled(serving.answering);
  // What has been answered is written in the next turns of the loop.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  await server.close();
}
