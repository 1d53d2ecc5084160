// Streamable HTTP on loopback. Any process of this machine can reach the port, so every request needs the token, and a
// Host that is ours: a web page that points its own name at 127.0.0.1 gets nothing.
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { isSameSecret } from "../../base/errors/same-secret.ts";
import type { Serving } from "./answer.ts";
import { newStateCodec } from "./ask-client.ts";
import { createServer } from "./server.ts";

export interface HttpOptions {
  readonly port: number;
  /** Made when none is given. */
  readonly token?: string;
  say(line: string): void;
  /** Says the token that this server has made. */
  sayToken(line: string): void;
}

const PATH = "/mcp";

/** Resolves when `stop` aborts. `end`: no answer waits for a run any longer. */
export async function serveHttp(
  serving: Serving,
  options: HttpOptions,
  stop: AbortSignal,
  end: () => void,
): Promise<void> {
  const token = options.token || randomBytes(24).toString("base64url");
  const codec = newStateCodec();
  // A new client brings all that it needs with each request; an old one has a session, in which it can be asked.
  const modern = createMcpHandler(({ era }) => createServer(serving, era, codec), { legacy: "reject" });
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const isOld = async (request: Request): Promise<boolean> =>
    request.headers.has("mcp-session-id") || (await isLegacyRequest(request));
  const listener = getRequestListener(
    async (request: Request) => ((await isOld(request)) ? inSession(request) : modern.fetch(request)),
    { overrideGlobalObjects: false, errorHandler: () => refused({ status: 500, message: "Segno itself failed" }) },
  );
  const server = createHttpServer((request, response) => {
    const refusal = refuse(request, token, (server.address() as AddressInfo).port);
    if (refusal) deny(response, refusal);
    else void listener(request, response);
  });

  async function inSession(request: Request): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    const known = id === null ? undefined : sessions.get(id);
    if (known) return known.handleRequest(request);
    if (id !== null) return refused({ status: 404, message: "there is no such session; initialize a new one" });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => void sessions.set(session, transport),
      onsessionclosed: (session) => void sessions.delete(session),
    });
    const mcp = createServer(serving, "legacy", codec);
    await mcp.connect(transport);
    mcp.server.onclose = () => {
      if (transport.sessionId) sessions.delete(transport.sessionId);
    };
    // Without a session only `initialize` is understood; the transport refuses the rest.
    return transport.handleRequest(request);
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, "127.0.0.1", resolve);
  });
  options.say(`Serving MCP at http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`);
  if (options.token) options.say("Authorization: Bearer $SEGNO_MCP_TOKEN");
  else options.sayToken(`Authorization: Bearer ${token}`);
  if (!stop.aborted) await once(stop, "abort");
  end();
  await serving.runs.close();
  await Promise.allSettled(serving.answering);
  await new Promise((resolve) => setImmediate(resolve));
  await modern.close();
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
  if (!isSameSecret(headers.authorization ?? "", `Bearer ${token}`))
    return { status: 401, message: "the bearer token that `segno mcp --http` printed is needed" };
  if ((url ?? "").split("?")[0] !== PATH) return { status: 404, message: `MCP is at ${PATH}` };
  return undefined;
}

const bodyOf = (message: string): string =>
  JSON.stringify({ jsonrpc: "2.0", error: { code: -32000, message }, id: null });

const refused = ({ status, message }: Refusal): Response =>
  new Response(bodyOf(message), { status, headers: { "content-type": "application/json" } });

function deny(response: ServerResponse, { status, message }: Refusal): void {
  response.writeHead(status, {
    "content-type": "application/json",
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
  });
  response.end(bodyOf(message));
}
