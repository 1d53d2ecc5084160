// The HTTP client of `http` steps: one request, its redirects, and an answer or the reason why there is none.

import { type ClientRequest, type IncomingMessage, request as plain } from "node:http";
import { request as secure } from "node:https";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { IDLE_TIMEOUT } from "../../base/errors/index.ts";
import { NestedTooDeeply, parseJson } from "../../base/json/bounded.ts";
import type { Caller } from "../caller.ts";
import { whenOurs } from "../when-ours.ts";
import type { HttpRequest, HttpResult } from "../world.ts";

const MOST_REDIRECTS = 10;

export async function fetchHttp(
  request: HttpRequest,
  caller: Pick<Caller, "signal" | "clock" | "assertLease">,
): Promise<HttpResult> {
  const { clock } = caller;
  const began = clock.now();
  try {
    const { status, headers, bytes } = await follow(request, caller);
    const body = meaningOf(bytes, headers["content-type"]);
    return { answered: true, status, headers, body, seconds: (clock.now() - began) / 1000 };
  } catch (error) {
    if (error instanceof Unanswered) return { answered: false, code: error.code, message: error.message };
    throw error;
  }
}

async function follow(first: HttpRequest, caller: Pick<Caller, "signal" | "assertLease">) {
  let request = first;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const answer = await whenOurs(caller, () => sendRequest(request, caller.signal));
    const next = redirected(request, answer.status, answer.headers.location);
    if (next === undefined) return answer;
    request = next;
  }
  throw new Unanswered(
    "TOO_MANY_REDIRECTS",
    `it was redirected more than ${MOST_REDIRECTS} times, last to ${request.url}`,
  );
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const ABOUT_THE_BODY = /^(content-|transfer-encoding$)/;
/** What goes to another origin without being asked for: how the answer should look. A list of what must not go would never be whole. */
const FOR_ANYBODY: ReadonlySet<string> = new Set([
  "accept",
  "accept-charset",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "content-language",
  "content-type",
  "if-modified-since",
  "if-none-match",
  "pragma",
  "prefer",
  "range",
  "user-agent",
]);

/**
 * The next request; undefined when the answer is no redirect that can be followed. Methods and bodies as browsers do it; to
 * another origin only what says nothing about who asks, and no body, unless the step says so: else it throws.
 */
function redirected(request: HttpRequest, status: number, location: string | undefined): HttpRequest | undefined {
  if (!REDIRECTS.has(status) || location === undefined || !URL.canParse(location, request.url)) return undefined;
  const from = new URL(request.url);
  const to = new URL(location, from);
  if (to.protocol !== "http:" && to.protocol !== "https:") return undefined;
  if (to.hash === "") to.hash = from.hash;

  const becomesGet =
    (status === 303 && request.method !== "HEAD") || ((status === 301 || status === 302) && request.method === "POST");
  const leavesOrigin = to.origin !== from.origin;
  const { body, redirects = {}, ...rest } = request;
  const alsoSent = new Set(redirects.send_headers?.map((name) => name.toLowerCase()));
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name, value]) => {
      const lower = name.toLowerCase();
      if (becomesGet && ABOUT_THE_BODY.test(lower)) return false;
      if (!leavesOrigin || alsoSent.has(lower)) return true;
      return FOR_ANYBODY.has(lower) && !request.holdsSecret?.(value);
    }),
  );
  if (leavesOrigin && body !== undefined && !becomesGet && !redirects.send_body)
    throw new Unanswered(
      "REDIRECTED_ELSEWHERE",
      `it was redirected to ${to.origin}, and what it sends was meant for ${from.origin}. If ${to.host} may have it, say \`redirects: { send_body: true }\`, or use that address`,
    );
  const next = { ...rest, redirects, url: to.href, headers };
  if (becomesGet) return { ...next, method: "GET" };
  return body === undefined ? next : { ...next, body };
}

export const LARGEST_BODY = 16 * 1024 * 1024;

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

export async function sendRequest(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  let broken: Unanswered | undefined;
  const message = await answerTo(request, signal, (problem) => {
    broken = problem;
  });
  const bytes = await bodyOf(message, signal).catch((error: unknown) => {
    // The idle timeout broke the answer off: that is the reason to give.
    throw broken?.code === IDLE_TIMEOUT ? broken : error;
  });
  // More came than the answer said it had: then it is not the answer that the server meant to give.
  if (broken) throw broken;
  return { status: message.statusCode ?? 0, headers: headersOf(message), bytes };
}

function answerTo(
  { url, method, headers, body, idle_seconds }: HttpRequest,
  signal: AbortSignal,
  laterBroken: (problem: Unanswered) => void,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const target = new URL(url);
    const open = target.protocol === "https:" ? secure : plain;
    let sent: ClientRequest;
    try {
      // One connection a request: a kept one may be closed by the server just as it is used again.
      const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
      const timeout = idle_seconds === undefined ? {} : { timeout: idle_seconds * 1000 };
      const options = { method, headers: { ...STANDARD, ...headers, ...length }, signal, agent: false as const };
      sent = open(target, { ...options, ...timeout });
    } catch (error) {
      reject(unanswered(error));
      return;
    }
    sent.once("response", resolve);
    sent.once("timeout", () => {
      const problem = new Unanswered(IDLE_TIMEOUT, `no byte came for ${idle_seconds} s`);
      laterBroken(problem);
      sent.destroy(problem);
    });
    sent.on("error", (error) => {
      const problem = error instanceof Unanswered ? error : unanswered(error);
      laterBroken(problem);
      reject(problem);
    });
    sent.end(body);
  });
}

const STANDARD = { "user-agent": "segno", accept: "*/*", "accept-encoding": "gzip, deflate, br" };

async function bodyOf(message: IncomingMessage, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of decoded(message) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > LARGEST_BODY) throw new Unanswered("BODY_TOO_LARGE", "the answer is larger than 16 MiB");
      chunks.push(chunk);
    }
    // A body without a length ends when the connection does; `complete` tells whether it ended as it should.
    if (!message.complete) throw cutShort();
    return Buffer.concat(chunks, length);
  } catch (error) {
    if (error instanceof Unanswered) throw error;
    if (signal.aborted || message.complete) throw unanswered(error);
    throw cutShort();
  } finally {
    message.destroy();
  }
}

const cutShort = () => new Unanswered("BODY_CUT", "the answer broke off before it was complete");

function headersOf(message: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}

/** Several addresses of one host fail as one error that has the others inside; the code is what matters. */
function unanswered(error: unknown): Unanswered {
  const { code, message } = error as NodeJS.ErrnoException;
  return new Unanswered(code ?? "UNKNOWN", message || code || "no answer");
}

export class Unanswered extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

// What an answer's bytes mean: compression undone, text in its character set, JSON as a value.

function decoded(message: IncomingMessage): Readable {
  const unpack = unpackers.get((message.headers["content-encoding"] ?? "").trim().toLowerCase());
  if (unpack === undefined) return message;
  // The last stream passes the error to its reader.
  return pipeline(message, unpack(), () => {}) as unknown as Readable;
}

const unpackers: ReadonlyMap<string, () => NodeJS.ReadWriteStream> = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/** A value when the answer says it is JSON and is, otherwise text; null when there was no body at all. */
export function meaningOf(bytes: Buffer, contentType: string | undefined): unknown {
  const text = textOf(bytes, contentType);
  if (!/^[^;]*[/+]json\b/i.test(contentType ?? "")) return text;
  if (text.trim() === "") return null;
  try {
    return parseJson(text);
  } catch (problem) {
    if (!(problem instanceof NestedTooDeeply)) return text;
    throw new Unanswered("BODY_TOO_DEEP", `the answer cannot be used: ${problem.message}`);
  }
}

function textOf(bytes: Buffer, contentType: string | undefined): string {
  const charset = /charset="?([\w-]+)/i.exec(contentType ?? "")?.[1];
  try {
    return new TextDecoder(charset ?? "utf-8").decode(bytes);
  } catch {
    // An unknown character set.
    return bytes.toString("utf8");
  }
}
