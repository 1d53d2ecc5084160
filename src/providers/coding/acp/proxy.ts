// The only way out of an agent's sandbox: a proxy of HTTP at a unix socket. It leads to the model, whose key it puts in, so
// that neither the agent nor a command of its has it; and, with `network: true`, to every address.
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, request as requestClear, type ServerResponse } from "node:http";
import { request as requestTls } from "node:https";
import { connect, type Socket } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { CodingTask } from "../agent.ts";
import type { ModelAccess } from "./known-agents.ts";
import { PROXY_URL } from "./sandbox.ts";

export interface ModelProxy {
  /** What the agent gets: an address inside the sandbox, and something in place of the key. */
  readonly inside: ModelAccess | undefined;
  /** Of the model's last answer: some agents say only that something failed. */
  lastStatus(): number | undefined;
  close(): Promise<void>;
}

export async function startProxy(
  socket: string,
  { settings, permissions, env }: Pick<CodingTask, "settings" | "permissions" | "env">,
  access: ModelAccess | undefined,
): Promise<ModelProxy> {
  const standIn = `segno-${randomUUID()}`;
  const model = access && new URL(access.url);
  const hosts = [model, settings.base_url ? new URL(settings.base_url) : undefined].flatMap((url) => url?.host ?? []);
  const leads = (url: URL): boolean => permissions.network || hosts.includes(url.host);
  const open = new Set<Duplex>();
  const keep = <Stream extends Duplex>(stream: Stream): Stream => {
    open.add(stream);
    return stream.once("close", () => open.delete(stream)).on("error", () => stream.destroy());
  };
  const withKey = (text: string): string => (access ? text.replaceAll(standIn, access.key) : text);

  let lastStatus: number | undefined;
  const server = createServer((request, response) => {
    const isOwn = !/^https?:/.test(request.url ?? "") || (request.url ?? "").startsWith(`${PROXY_URL}/`);
    const path = isOwn ? (request.url ?? "/").replace(PROXY_URL, "") : "";
    const target = isOwn ? model && new URL(withKey(path), model.origin) : parsed(request.url ?? "");
    if (!target || !(isOwn || leads(target))) return refuse(response, request.url);
    if (isOwn) response.once("finish", () => (lastStatus = response.statusCode));
    const headers = headersOf(request, isOwn ? withKey : (text) => text);
    void forward(target, request, response, { ...headers, ...(isOwn ? settings.headers : {}), host: target.host }, env);
  });
  server.on("connection", keep);
  server.on("connect", (request: IncomingMessage, client: Socket, head: Buffer) => {
    keep(client);
    const target = parsed(`http://${request.url}`);
    const answer = (status: string): boolean => client.write(`HTTP/1.1 ${status}\r\n\r\n`);
    // Programs that go by the proxy everywhere also go by it to the proxy.
    if (target?.href === `${PROXY_URL}/`) {
      answer("200 Connection established");
      if (head.length > 0) client.unshift(head);
      return void server.emit("connection", client);
    }
    // A port that is not named is that of TLS; `URL` leaves out 80, which is written.
    const port = Number(/:(\d+)$/.exec(request.url ?? "")?.[1] ?? 443);
    if (!target || !leadsBy(leads, target.hostname, port)) return void client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    dial(target.hostname, port, env).then(
      (upstream) => {
        keep(upstream);
        answer("200 Connection established");
        if (head.length > 0) upstream.write(head);
        pipeline(client, upstream, client, () => {});
      },
      () => client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"),
    );
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(socket, resolve));
  return {
    inside: model && { url: `${PROXY_URL}${model.pathname.replace(/\/$/, "")}`, key: standIn },
    lastStatus: () => lastStatus,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const stream of open) stream.destroy();
      }),
  };
}

const leadsBy = (leads: (url: URL) => boolean, host: string, port: number): boolean =>
  ["http", "https"].some((scheme) => leads(new URL(`${scheme}://${host}:${port}`)));

function parsed(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}

function refuse(response: ServerResponse, url: string | undefined): void {
  response.writeHead(403, { "content-type": "text/plain" });
  response.end(`Segno's sandbox has no way to ${url}: say network: true in the workflow.\n`);
}

/** Of one connection alone, not of what is sent through it. */
const HOP_BY_HOP = ["connection", "proxy-connection", "keep-alive", "proxy-authorization", "te", "trailer", "upgrade"];

function headersOf(request: IncomingMessage, withKey: (text: string) => string): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && !HOP_BY_HOP.includes(name))
      headers[name] = Array.isArray(value) ? value.map(withKey) : withKey(value);
  return headers;
}

async function forward(
  target: URL,
  request: IncomingMessage,
  response: ServerResponse,
  headers: Record<string, string | string[]>,
  env: CodingTask["env"],
): Promise<void> {
  const isTls = target.protocol === "https:";
  const fail = (error: NodeJS.ErrnoException): void => {
    if (response.headersSent) return void response.destroy();
    response.writeHead(502, { "content-type": "text/plain" });
    response.end(`${target.host}: ${error.code ?? error.message}\n`);
  };
  try {
    const socket = await dial(target.hostname, Number(target.port || (isTls ? 443 : 80)), env);
    const createConnection = (): Duplex => (isTls ? connectTls({ socket, servername: target.hostname }) : socket);
    const send = isTls ? requestTls : requestClear;
    const sent = send(target, { method: request.method, headers, createConnection }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, response, () => {});
    });
    sent.on("error", fail);
    response.once("close", () => sent.destroy());
    pipeline(request, sent, () => {});
  } catch (error) {
    fail(error as NodeJS.ErrnoException);
  }
}

/** To a host, by the proxy that Segno's own environment names. */
function dial(host: string, port: number, env: CodingTask["env"]): Promise<Socket> {
  const name = host.replace(/^\[|\]$/g, "");
  const by = parsed(env.HTTPS_PROXY || env.https_proxy || env.HTTP_PROXY || env.http_proxy || "");
  return new Promise((resolve, reject) => {
    if (!by || isDirect(name, env.NO_PROXY || env.no_proxy || "")) {
      const socket = connect({ host: name, port }, () => resolve(socket)).once("error", reject);
      return;
    }
    const signIn = by.username ? { "proxy-authorization": `Basic ${btoa(`${by.username}:${by.password}`)}` } : {};
    const place = { host: by.hostname, port: Number(by.port || 80), method: "CONNECT", path: `${host}:${port}` };
    const asked = requestClear({ ...place, headers: { host: `${host}:${port}`, ...signIn } });
    asked.once("connect", (answer, socket: Socket) => {
      if (answer.statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new Error(`the proxy ${by.host} answered ${answer.statusCode}`));
    });
    asked.once("error", reject).end();
  });
}

/** `NO_PROXY`: hosts and ends of names, with commas between them. */
const isDirect = (host: string, list: string): boolean =>
  list
    .split(",")
    .map((one) => one.trim().replace(/^\*?\./, ""))
    .some((one) => one === "*" || (one !== "" && (host === one || host.endsWith(`.${one}`))));
