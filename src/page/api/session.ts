// Who we are to the server. The token stands in the fragment of the printed address, is exchanged once, and is gone from
// the address before anything else happens; the session is kept in this origin's storage.
import { signal } from "@preact/signals";
import type { FirstJson, ProblemJson, SessionJson, SessionNowJson } from "../../server/contract/problem.ts";
import { clock } from "../parts/text.ts";
import { setServerTime } from "../state/clock.ts";

const KEPT = "segno.session";

/** `asking` at first; `none`: the page has no access yet. */
export const access = signal<"asking" | "granted" | "none" | "unreachable">("asking");
export const about = signal<SessionNowJson | null>(null);

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

// What the server refused, in its words.

class RefusedByServer extends Error {
  constructor(readonly problem: ProblemJson) {
    super(problem.hint ? `${problem.message} ${problem.hint}` : problem.message);
  }
}

export async function refusalOf(response: Response): Promise<RefusedByServer> {
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
