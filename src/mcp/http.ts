// Streamable HTTP on loopback. Any process of this machine can reach the port, so every request needs the token, and a
// Host that is ours: a web page that points its own name at 127.0.0.1 gets nothing.
import { randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createServer } from "./server.ts";
import type { Serving } from "./session.ts";

export interface HttpOptions {
  readonly port: number;
  /** Made when none is given. */
  readonly token?: string;
  say(line: string): void;
}

const PATH = "/mcp";

/** Resolves when `stop` aborts. */
export async function serveHttp(serving: Serving, options: HttpOptions, stop: AbortSignal): Promise<void> {
  const token = options.token || randomBytes(24).toString("base64url");
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const server = createHttpServer((request, response) => {
    const refusal = refuse(request, token, (server.address() as AddressInfo).port);
    if (refusal) return deny(response, refusal);
    handle(request, response).catch(() => deny(response, { status: 500, message: "Segno itself failed" }));
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers["mcp-session-id"];
    const known = typeof id === "string" ? sessions.get(id) : undefined;
    if (known) return known.handleRequest(request, response);
    if (id !== undefined)
      return deny(response, { status: 404, message: "there is no such session; initialize a new one" });
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => void sessions.set(session, transport),
      onsessionclosed: (session) => void sessions.delete(session),
    });
    transport.onclose = () => {
      if (transport.sessionId) sessions.delete(transport.sessionId);
    };
    await createServer(serving).connect(transport);
    // Without a session only `initialize` is understood; the transport refuses the rest.
    await transport.handleRequest(request, response);
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, "127.0.0.1", resolve);
  });
  options.say(`Serving MCP at http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`);
  options.say(`Authorization: Bearer ${token}`);
  await new Promise<void>((resolve) => {
    if (stop.aborted) resolve();
    stop.addEventListener("abort", () => resolve(), { once: true });
  });
  await serving.runs.close();
  for (const transport of [...sessions.values()]) await transport.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

interface Refusal {
  readonly status: number;
  readonly message: string;
}

function refuse({ headers, url }: IncomingMessage, token: string, port: number): Refusal | undefined {
  const ours = ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port}`);
  if (!ours.includes(headers.host ?? "")) return { status: 403, message: "this host is not ours" };
  if (headers.origin !== undefined && !ours.some((host) => headers.origin === `http://${host}`))
    return { status: 403, message: "this origin is not ours" };
  if (!isSame(headers.authorization ?? "", `Bearer ${token}`))
    return { status: 401, message: "the bearer token that `segno mcp --http` printed is needed" };
  if ((url ?? "").split("?")[0] !== PATH) return { status: 404, message: `MCP is at ${PATH}` };
  return undefined;
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function deny(response: ServerResponse, { status, message }: Refusal): void {
  if (response.headersSent) return void response.end();
  response.writeHead(status, {
    "content-type": "application/json",
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
  });
  response.end(JSON.stringify({ jsonrpc: "2.0", error: { code: -32000, message }, id: null }));
}
