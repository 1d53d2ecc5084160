// Questions to the server. Every one names the session; every write has a key, so that sending it twice does it once.

import type { BigValueJson } from "../../server/contract/values.ts";
import { setServerTime } from "../state/clock.ts";
import { takeEarly } from "./early.ts";
import { loseSession, refusalOf, sessionId } from "./session.ts";

export type QueryValues = Readonly<Record<string, string | number | boolean | null | undefined>>;

const withQuery = (path: string, given: QueryValues = {}): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value));
  return search.size === 0 ? path : `${path}?${search}`;
};

/** The parts of a path may hold slashes of their own. */
export const apiPath = (...parts: readonly string[]): string => `/api/${parts.map(encodeURIComponent).join("/")}`;

export async function get<Answer>(path: string, given: QueryValues = {}, signal?: AbortSignal): Promise<Answer> {
  return answered(await ask(withQuery(path, given), { signal: signal ?? null }));
}

export async function postJson<Answer>(path: string, body: unknown, key = newKey()): Promise<Answer> {
  return answered(
    await ask(path, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify(body),
    }),
  );
}

/** Not `randomUUID`: that is only there on addresses that the browser trusts. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

async function ask(address: string, more: RequestInit): Promise<Response> {
  const headers = { ...more.headers, authorization: `Bearer ${sessionId() ?? ""}` };
  try {
    const early = more.method === undefined ? takeEarly(address) : null;
    return await (early ?? fetch(address, { ...more, headers }));
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Error("The server does not answer.");
  }
}

async function answered<Answer>(response: Response): Promise<Answer> {
  if (response.status === 401) loseSession();
  if (!response.ok) throw await refusalOf(response);
  const answer: Answer & { readonly server_time?: string } = await response.json();
  if (answer?.server_time) setServerTime(answer.server_time);
  return answer;
}

// What the server left out because it is long, asked for as a whole.

export const isBig = (value: unknown): value is BigValueJson =>
  typeof value === "object" && value !== null && "$big" in value && "preview" in value;

/** `run`: where it stands. The server then also finds it when that run has not been viewed for a while. */
export async function wholeValue({ $big }: BigValueJson, run?: string, signal?: AbortSignal): Promise<unknown> {
  const response = await fetch(withQuery(`/api/blobs/${encodeURIComponent($big)}`, { run }), {
    headers: { authorization: `Bearer ${sessionId() ?? ""}` },
    signal: signal ?? null,
  });
  if (!response.ok) throw await refusalOf(response);
  return response.json();
}
