// Who we are to the server. The token stands in the fragment of the printed address, is exchanged once, and is gone from
// the address before anything else happens; the session is kept in this origin's storage.
import { signal } from "@preact/signals";
import type { SessionJson, SessionNowJson } from "../../server/contract/session.ts";
import { setServerTime } from "../state/clock.ts";
import { RefusedByServer, refusalOf } from "./refused.ts";

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
