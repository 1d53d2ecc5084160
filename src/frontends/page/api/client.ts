// Questions to the server, and who we are to it. Every question names the session; every write has a key, so that sending
// it twice does it once. The token of the printed address is exchanged for a session once, and is gone from the address.

import { signal } from "@preact/signals";
import type {
  BigValueJson,
  FirstJson,
  ProblemJson,
  SessionJson,
  SessionNowJson,
} from "../../server/contract/values.ts";
import { clock } from "../text.ts";
import { setServerTime } from "./clock.ts";
import { takeEarly } from "./early.ts";

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
  return whileWaiting(async () => answered(await ask(withQuery(path, given), { signal: signal ?? null })));
}

export async function postJson<Answer>(path: string, body: unknown, key = newKey()): Promise<Answer> {
  const headers = { "content-type": "application/json", "idempotency-key": key };
  return whileWaiting(async () => answered(await ask(path, { method: "POST", headers, body: JSON.stringify(body) })));
}

/** How many answers take longer than a user waits without a sign. */
export const slowAnswers = signal(0);
const SLOW_MS = 1000;

async function whileWaiting<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  let isSlow = false;
  const timer = setTimeout(() => {
    isSlow = true;
    slowAnswers.value += 1;
  }, SLOW_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    if (isSlow) slowAnswers.value -= 1;
  }
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

const KEPT = "segno.session";

/** `asking` at first; `none`: the page has no access yet. */
export const access = signal<"asking" | "granted" | "none" | "unreachable">("asking");
export const about = signal<SessionNowJson | null>(null);

/** A command as the user can type it: the program may have to be called by npx. */
export const typed = (command: string): string => command.replace(/^segno(?= )/gm, about.value?.program ?? "segno");

export const sessionId = (): string | null => localStorage.getItem(KEPT);

export async function openPageSession(): Promise<void> {
  access.value = "asking";
  try {
    const token = takeToken();
    if (token !== null) await exchange(token);
    else if (sessionId() !== null) await goOn();
    else access.value = "none";
  } catch (error) {
    access.value = error instanceof RefusedByServer ? "none" : "unreachable";
  }
}

/** A token that the user typed; gives why it was refused. The address stays, and with it the view. */
export async function giveToken(token: string): Promise<string | null> {
  try {
    await exchange(token);
    return null;
  } catch (error) {
    return error instanceof RefusedByServer ? error.message : "The server does not answer.";
  }
}

/** The server knows our session no longer: it was started anew. */
export function loseSession(): void {
  localStorage.removeItem(KEPT);
  access.value = "none";
}

function takeToken(): string | null {
  const fragment = decodeURIComponent(location.hash.slice(1));
  if (fragment === "") return null;
  history.replaceState(null, "", location.pathname + location.search);
  return fragment.replace(/^token=/, "");
}

async function exchange(token: string): Promise<void> {
  const response = await fetch("/api/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  if (!response.ok) throw await refusalOf(response);
  const { session, ...rest }: SessionJson = await response.json();
  localStorage.setItem(KEPT, session);
  grant(rest);
}

async function goOn(): Promise<void> {
  const response = await fetch("/api/session", { headers: { authorization: `Bearer ${sessionId()}` } });
  if (response.status === 401) return loseSession();
  if (!response.ok) throw await refusalOf(response);
  grant(await response.json());
}

function grant(now: SessionNowJson): void {
  about.value = now;
  setServerTime(now.server_time);
  access.value = "granted";
}

class RefusedByServer extends Error {
  constructor(readonly problem: ProblemJson) {
    super(problem.hint ? `${problem.message} ${problem.hint}` : problem.message);
  }
}

async function refusalOf(response: Response): Promise<RefusedByServer> {
  const said: unknown = await response.json().catch(() => null);
  if (said !== null && typeof said === "object" && "message" in said) return new RefusedByServer(said as ProblemJson);
  return new RefusedByServer({
    status: response.status,
    code: "defect",
    message: `The server answered ${response.status} without saying why.`,
  });
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

export const firstIn = (error: unknown): FirstJson | null =>
  (error instanceof RefusedByServer ? error.problem.first : undefined) ?? null;

/** Who was faster, when that is why it was refused. */
export const lateness = (error: unknown): string | null => {
  const first = firstIn(error);
  if (!first) return null;
  // It ended by itself, or it is not known who did it: then the server's sentence says more.
  if (first.by === null) return error instanceof Error ? `${capital(error.message)}.` : null;
  const answer = first.answer === undefined ? "" : `, with ${first.answer}`;
  return `${first.by} ${first.what} it first${answer}${first.at ? `, at ${clock(first.at)}` : ""}.`;
};
