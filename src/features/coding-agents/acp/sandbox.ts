// bwrap around the whole of an agent: it sees the machine read-only, writes its folder, its own home and a /tmp of its own,
// and has no network but a proxy of Segno's. What it asks for is policy; this is the boundary.

import { randomUUID } from "node:crypto";
import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createServer, type IncomingMessage, request as requestClear, type ServerResponse } from "node:http";
import { request as requestTls } from "node:https";
import { connect, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { type Duplex, pipeline } from "node:stream";
import { connect as connectTls } from "node:tls";
import { isIn, realPath } from "../../../base/real-path.ts";
import { ProviderFailure } from "../../../providers/failure.ts";
import type { CodingTask } from "../agent.ts";
import { NO_CAPABILITIES, osSandbox, programOn, READ_ONLY_SETTINGS } from "../environment.ts";
import { guardedIn } from "../guarded.ts";
import type { ModelAccess } from "./known-agents.ts";
import type { AgentLaunch } from "./launch.ts";

/** In the sandbox's own network, in which nothing else listens. */
const PROXY_PORT = 3128;
export const PROXY_URL = `http://127.0.0.1:${PROXY_PORT}`;

export function requireSandbox({ env, processes: { machine }, permissions }: CodingTask, title: string): void {
  if (permissions.sandbox === "full") return;
  const isLinux = machine.platform === "linux";
  const os = osSandbox(env, machine.platform, ISOLATION);
  if (isLinux && os.ready) return;
  const why = isLinux ? os.message : "Segno confines such agents on Linux alone";
  throw new ProviderFailure(
    "unready",
    `under sandbox: ${permissions.sandbox} ${title} runs only inside a sandbox of the operating system, and there is none here. ${why}; or choose claude-agent-sdk, codex or copilot, or sandbox: full if nothing needs to be kept from this agent`,
  );
}

/** The machine, read-only; processes, network and the rest of its own. */
const ISOLATION = [
  ...["--ro-bind", "/", "/", "--unshare-all", "--die-with-parent", "--new-session", ...NO_CAPABILITIES],
  ...["--proc", "/proc", ...READ_ONLY_SETTINGS, "--dev", "/dev"],
];

/** Sockets of Docker and of key agents are here, by which a command can do whatever its user can. */
const HIDDEN = ["/run", "/var/run"];

interface Places {
  readonly folder: string;
  readonly proxy: string;
}

export async function confined(
  task: CodingTask,
  launch: AgentLaunch,
  line: readonly string[],
  { folder, proxy }: Places,
): Promise<readonly string[]> {
  const { cwd, home, permissions, project, env } = task;
  const temporary = join(folder, "tmp");
  await mkdir(temporary);
  const mounts = new Map<string, readonly string[]>();
  const put = (path: string, ...args: readonly string[]): void => void mounts.set(path, args);
  const readOnly = (path: string): void => put(path, "--ro-bind", path, path);
  const hide = (path: string): void =>
    isFolder(path) ? put(path, "--tmpfs", path) : put(path, "--ro-bind", "/dev/null", path);

  put("/tmp", "--bind", temporary, "/tmp");
  for (const path of HIDDEN.filter((one) => isFolder(one) && !isLink(one))) put(path, "--tmpfs", path);
  // Of what lies where others keep their temporary files it needs its program and its project.
  const needed = [project, ...launch.program, process.execPath].map((path) => realPath(path));
  for (const path of needed.filter((one) => isCovered(one))) readOnly(path);
  const guarded = guardedIn(task);
  const isSeen = (path: string): boolean => !isCovered(path) || [cwd, ...needed].some((one) => isIn(path, one));
  for (const path of guarded.unreadable) if (isSeen(path) && existsSync(path)) hide(path);
  put(cwd, permissions.sandbox === "workspace" ? "--bind" : "--ro-bind", cwd, cwd);
  const ownFolders = (launch.known?.ownFolders ?? []).map((name) => join(cwd, name));
  const kept = [...guarded.readOnly, ...launch.program.map((path) => realPath(path)), ...ownFolders];
  for (const path of kept.filter((one) => one !== cwd && isIn(one, cwd))) {
    const at = firstMissing(path, cwd);
    // Nothing can be mounted over what is not there: an empty folder stands in its place as long as the agent works.
    if (at === undefined) readOnly(path);
    else if (permissions.sandbox === "workspace") put(at, "--tmpfs", at, "--remount-ro", at);
    // Mounted by themselves, so that none can be moved away with a guarded file in it.
    if (permissions.sandbox === "workspace")
      for (let above = dirname(at ?? path); above !== cwd; above = dirname(above))
        if (!mounts.has(above)) put(above, "--bind", above, above);
  }
  const hidden = [...ownFolders, ...(launch.known?.hiddenFiles ?? []).map((name) => join(cwd, name))];
  if (permissions.settings === "none") for (const path of hidden) if (existsSync(path)) hide(path);
  for (const path of sockets()) if (isSeen(path)) put(path, "--ro-bind", "/dev/null", path);
  put(home, "--bind", home, home);
  put(folder, "--ro-bind", folder, folder);
  const byDepth = [...mounts].sort(([one], [other]) => one.split("/").length - other.split("/").length);
  const program = (name: string): string => programOn(env.PATH ?? "", name) ?? name;
  // What covers a link, as that of a folder above the project, does not cover the program that it leads to: it is `needed`.
  const seen = line.map((part) => (part === launch.command && isCovered(part) ? realPath(part) : part));
  return [
    ...[program("bwrap"), ...ISOLATION, ...byDepth.flatMap(([, args]) => args), "--chdir", cwd, "--"],
    ...["/bin/sh", "-c", BRIDGE, "segno", program("socat"), proxy, ...seen],
  ];
}

/** The agent starts when the way to the proxy is open; nothing of the shell stays. */
const BRIDGE = [
  `"$1" TCP-LISTEN:${PROXY_PORT},fork,reuseaddr,bind=127.0.0.1 UNIX-CONNECT:"$2" </dev/null >/dev/null 2>&1 &`,
  `until grep -q ':${PROXY_PORT.toString(16).toUpperCase().padStart(4, "0")} ' /proc/net/tcp; do sleep 0.01; done`,
  `shift 2; exec "$@"`,
].join("\n");

const isCovered = (path: string): boolean => ["/tmp", ...HIDDEN].some((one) => isIn(path, one));
const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

/** The outermost part of a path below `folder` that is not there; nothing when all of it is. */
function firstMissing(path: string, folder: string): string | undefined {
  if (existsSync(path)) return undefined;
  const above = dirname(path);
  return above === folder || existsSync(above) ? path : firstMissing(above, folder);
}

/** Where programs of this machine listen: a read-only mount does not keep anybody from connecting. */
function sockets(): string[] {
  const listed = existsSync("/proc/net/unix") ? readFileSync("/proc/net/unix", "utf8") : "";
  const paths = listed.split("\n").flatMap((line) => /\s(\/[^@]*)$/.exec(line)?.[1] ?? []);
  return [...new Set(paths)].flatMap((path) => {
    try {
      return statSync(path).isSocket() ? [realpathSync(path)] : [];
    } catch {
      return [];
    }
  });
}

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
