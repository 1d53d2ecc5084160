// HTTP below an app: the server, bodies read up to a limit, answers as they leave, and writes that are done once though
// they are sent twice.

import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { getRequestListener } from "@hono/node-server";
import type { Context, Hono } from "hono";
import { LARGEST_WEBHOOK } from "../../features/triggers/deliver.ts";
import { refusal } from "../../services/refusals.ts";
import { Exit } from "../../services/session/exit.ts";
import type { Session } from "../../services/session/session.ts";
import type { ProblemJson } from "./contract/values.ts";
import { problemOf, TooLarge } from "./problems.ts";

export function httpServer({ fetch }: Pick<Hono, "fetch">): Server {
  const listener = getRequestListener(fetch, { overrideGlobalObjects: false });
  const server = createServer(listener);
  server.on("checkContinue", (request, response) => {
    if (!isTooLarge(request)) response.writeContinue();
    void listener(request, response);
  });
  return server;
}

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Gives the port, which may have been any. */
export async function listening(server: Server, address: ListenAddress): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (problem: NodeJS.ErrnoException) => reject(cannotListen(problem, address)));
    server.listen(address.port, address.host, resolve);
  });
  return portOf(server);
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

const SHORTEST_TOKEN = 16;

export function requireToken(token: string): void {
  if (token.length < SHORTEST_TOKEN)
    throw refusal(`SEGNO_SERVE_TOKEN is too easy to guess: give it ${SHORTEST_TOKEN} characters or more`);
}

function cannotListen({ code, message }: NodeJS.ErrnoException, { host, port }: ListenAddress): Error {
  if (code === "EADDRINUSE")
    return refusal(
      `port ${port} on ${host} is in use: another segno serve, perhaps. Choose another with --port, or 0 for any`,
    );
  if (code === "EACCES") return refusal(`port ${port} on ${host} may not be used by you: choose one above 1023`);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return refusal(`this machine has no address ${host} to listen on`);
  return refusal(`the server could not listen on ${host}:${port}: ${message}`);
}

/** Requests that are being answered, and readers of streams, have a moment to finish. */
export async function closeServer(server: Server): Promise<void> {
  server.closeIdleConnections();
  const gone = new Promise((resolve) => server.close(resolve));
  const timer = setTimeout(() => server.closeAllConnections(), 500);
  await gone;
  clearTimeout(timer);
}

const isTooLarge = ({ url = "", headers }: IncomingMessage): boolean =>
  Number(headers["content-length"] ?? 0) > mostAt(url.split("?")[0] ?? url);

const mostAt = (path: string): number =>
  path.startsWith("/hooks/") ? LARGEST_WEBHOOK : path === SESSION_PATH ? MOST_SESSION_BYTES : MOST_BODY_BYTES;

// The body of a request, read up to a limit. Senders need not say how long it is, nor send one at all.

/** Of a request of the page or of a program; webhooks have a limit of their own. */
export const MOST_BODY_BYTES = 10 * 1024 * 1024;
/** Of a request that anybody may send: it holds a token, and is read before it is known whose. */
export const MOST_SESSION_BYTES = 4 * 1024;

export const SESSION_PATH = "/api/session";

/** Throws `TooLarge` with the message `said`, at once if `content-length` is too large. */
export async function readBody({ headers, body }: Request, most: number, said: string): Promise<Uint8Array> {
  if (Number(headers.get("content-length") ?? 0) > most) throw new TooLarge(said);
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    size += part.value.byteLength;
    if (size > most) throw new TooLarge(said);
    parts.push(part.value);
  }
  return Buffer.concat(parts);
}

// How an answer leaves: through the exit of its request, with the secrets of what was read for it; as JSON, compressed when that is worth it.

type WithExit = Context<{ readonly Variables: { exit: Exit } }>;

/** Of every request, before anything else. */
export const openExit = (c: Context, env: Session["env"]): void => (c as WithExit).set("exit", new Exit(env));

export const exitOf = (c: Context): Exit => (c as WithExit).get("exit");

const SHORTEST_COMPRESSED = 2048;

type AnswerHeaders = Readonly<Record<string, string>>;

const compressed = promisify(gzip);

export async function jsonAnswer(
  c: Context,
  { status, body }: KeptAnswer,
  more: AnswerHeaders = {},
): Promise<Response> {
  const text = JSON.stringify(exitOf(c).answer(body));
  const headers = { "content-type": "application/json", ...more };
  if (text.length < SHORTEST_COMPRESSED || !/\bgzip\b/.test(c.req.header("accept-encoding") ?? ""))
    return new Response(text, { status, headers });
  const bytes = new Uint8Array(await compressed(text, { level: 5 }));
  return new Response(bytes, { status, headers: { ...headers, "content-encoding": "gzip", vary: "accept-encoding" } });
}

export const problem = (c: Context, body: ProblemJson, headers: AnswerHeaders = {}): Promise<Response> =>
  jsonAnswer(
    c,
    { status: body.status, body },
    { ...(body.status === 401 ? { "www-authenticate": "Bearer" } : {}), ...headers },
  );

/** Answers what was thrown; `defect` hears of what is Segno's own fault. */
export const answerThrown =
  (defect: (thrown: unknown) => void) =>
  (thrown: unknown, c: Context): Promise<Response> => {
    const answer = problemOf(thrown);
    if (answer.code === "defect") defect(thrown);
    return problem(c, answer);
  };

// A long value, in parts when asked with Range.

/** The bytes that a Range header asks for; null: it cannot be had; nothing: the whole. */
export function rangeOf(
  header: string | undefined,
  length: number,
): { readonly from: number; readonly to: number } | null | undefined {
  const found = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
  if (!found || (found[1] === "" && found[2] === "")) return undefined;
  const [, first = "", last = ""] = found;
  const from = first === "" ? Math.max(0, length - Number(last)) : Number(first);
  const to = first === "" || last === "" ? length - 1 : Math.min(Number(last), length - 1);
  return from > to || from >= length ? null : { from, to };
}

export function blobResponse(text: string, range: string | undefined): Response {
  const bytes = new TextEncoder().encode(text);
  const headers = { "content-type": "application/json", "accept-ranges": "bytes" };
  const part = rangeOf(range, bytes.length);
  if (part === undefined) return new Response(bytes, { headers });
  if (part === null)
    return new Response(null, { status: 416, headers: { ...headers, "content-range": `bytes */${bytes.length}` } });
  return new Response(bytes.slice(part.from, part.to + 1), {
    status: 206,
    headers: { ...headers, "content-range": `bytes ${part.from}-${part.to}/${bytes.length}` },
  });
}

// The same write sent twice is done once: a double click, or a page that did not hear the answer, gets what the first got.

const MOST_KEYS = 2000;
export const LONGEST_KEY = 200;

export interface KeptAnswer {
  readonly status: number;
  readonly body: unknown;
}

export class Idempotency {
  readonly #answers = new Map<string, { readonly request: string; readonly answer: Promise<KeptAnswer> }>();

  /**
   * `asked` is what was asked under the key: the same key for something else is a mistake. Of each only a digest is kept,
   * a request may be long. `whose`: keys are everybody's own.
   */
  once(whose: string, given: string, asked: string, act: () => Promise<KeptAnswer>): Promise<KeptAnswer> {
    const key = digest(JSON.stringify([whose, given]));
    const request = digest(asked);
    const known = this.#answers.get(key);
    if (known && known.request !== request) return Promise.resolve(otherRequest(given));
    if (known) return known.answer;
    const answer = act();
    this.#answers.set(key, { request, answer });
    // What failed by a defect may be tried again.
    answer.catch(() => this.#answers.delete(key));
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > MOST_KEYS && oldest !== undefined) this.#answers.delete(oldest);
    return answer;
  }
}

const digest = (text: string): string => createHash("sha256").update(text).digest("base64url");

function otherRequest(key: string): KeptAnswer {
  const body: ProblemJson = {
    status: 400,
    code: "bad_request",
    message: `the Idempotency-Key ${key} was used for another request; take a new one for each act`,
  };
  return { status: 400, body };
}
