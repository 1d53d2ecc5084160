// How an answer leaves: as JSON, compressed when that is worth it.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Context } from "hono";
import type { ProblemJson } from "./contract/index.ts";
import type { KeptAnswer } from "./idempotency.ts";

const SHORTEST_COMPRESSED = 2048;

const compressed = promisify(gzip);

export async function jsonAnswer(c: Context, { status, body }: KeptAnswer): Promise<Response> {
  const text = JSON.stringify(body);
  const headers = { "content-type": "application/json" };
  if (text.length < SHORTEST_COMPRESSED || !/\bgzip\b/.test(c.req.header("accept-encoding") ?? ""))
    return new Response(text, { status, headers });
  const bytes = new Uint8Array(await compressed(text, { level: 5 }));
  return new Response(bytes, { status, headers: { ...headers, "content-encoding": "gzip", vary: "accept-encoding" } });
}

export const problem = (c: Context, body: ProblemJson): Promise<Response> => {
  if (body.status === 401) c.header("www-authenticate", "Bearer");
  return jsonAnswer(c, { status: body.status, body });
};
